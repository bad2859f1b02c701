// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

import {Stock} from "./Stock.sol";

/// @title Orders of a shop.
abstract contract Shop is Stock {
    using Math for uint256;
    uint256 public constant LIMIT = 10;
    mapping(address => uint256) private prices;

    /// A sale.
    event Sold(address indexed who, uint256 id);
    error Missing(uint256 id);
    struct Order { uint256 id; address owner; }
    enum State { Open, Closed }

    modifier onlyOwner() { _; }
    constructor(uint256 start) { }

    /**
     * @notice Finds an order.
     * @param id its number
     */
    function find(uint256 id) external view virtual returns (Order memory) {
        return orders[id];
    }
    function _hidden() internal {}
    receive() external payable {}
}

interface IShop { function sell(uint256 id) external; }
library Math {}
function total(uint256 a) pure returns (uint256) { return a; }
uint256 constant TOP = 1;
