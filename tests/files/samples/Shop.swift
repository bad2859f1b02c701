//
//  Shop.swift
//
//  Copyright (c) 2026 Shop. All rights reserved.
//

import Foundation
@testable import Stock

/// A shop with orders. More.
///
/// - Parameter x: nothing
public final class Shop<T: Order>: Base, Open where T: Hashable {
    public static let max = 16
    private var hidden: Int = 1
    let name: String
    public private(set) var size: Int {
        get { 1 }
    }

    init(name: String) throws {}

    /// Finds it.
    @discardableResult
    public func find(_ id: Int, in shelf: String = "x") async throws -> [Order] { [] }
    static func == (left: Shop, right: Shop) -> Bool { true }
    subscript(index: Int) -> Int { index }
    fileprivate func inside() {}

    enum State: String { case open, closed = "c"; case moved(to: String) }
    typealias Table = [String: Int]
}

public protocol Open: AnyObject {
    associatedtype Item
    var state: Int { get }
    func open(how: Int) -> Bool
}

extension Shop: Visitor { func visit() {} }
struct Line { var amount: Int }
actor Worker { func run() {} }
func total(of lines: [Line]) -> Int { 0 }
let limit = 3
@main struct App { static func main() {} }
