// <copyright file="Shop.cs">Copyright (c) Shop</copyright>
#nullable enable
using System;
using static System.Math;
using Alias = System.Text.Json;

namespace Example.Shop;

/// <summary>
/// A shop with <see cref="T:Order"/>s. More.
/// </summary>
[Serializable]
public sealed partial class Shop<T> : Base, IShop where T : class
{
    public const int Max = 16;
    private readonly string _name = "x", _title;
    public string Name { get; private set; } = "shop";
    public int Count => 3;
#if FAST
    public void Fast() { }
#else
    public void Slow() { }
#endif
    public Shop(string name) : base(name) { }
    /// <summary>Finds it.</summary>
    [Obsolete("no")]
    public override async Task<int> Find<U>(int id, string title = "x") where U : new() => 1;
    protected void Hidden() { }
    internal void Inside() { }
    public event EventHandler? Opened;
    public int this[int index] => index;
    public static Shop<T> operator +(Shop<T> a, Shop<T> b) => a;
    public enum State { Open = 1, Closed }
    public delegate void Visit(int id);
}

public interface IShop { string Name { get; } void Open(); }

public record Line(int Amount, string What);

internal static class Program { private static void Main(string[] args) { } }
