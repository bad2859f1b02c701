"""Blade templates: what they take, extend and include, and what stands in them."""

from __future__ import annotations

import random
import time

import pytest

from sidecar.files.outline import outline

PAGE = b"""@extends('layouts.app')
@props(['kind' => 'info', 'message'])
{{-- @include('never') --}}
@section('title', 'Orders')
@section('content')
  <h1>Orders of {{ $customer->name }}</h1>
  @include('orders.row', ['order' => $order])
  <form id="refund" method="POST" action="{{ route('refund') }}"><input name="reason"></form>
  <x-button type="submit">Refund</x-button>
  @can('cancel', $order)
    <p>Cancel</p>
  @endcan
@endsection
"""


def test_a_template_tells_what_it_takes_extends_includes_and_holds() -> None:
    record = outline("resources/views/orders.blade.php", PAGE, "")
    shown = [symbol.signature for symbol in record.symbols]
    assert record.language == "blade"
    assert record.imports[:3] == ("layouts.app", "orders.row", "x-button")
    assert "@props(['kind' => 'info', 'message'])" in shown
    assert "@section('content')" in shown
    assert "@can('cancel', $order)" in shown
    assert "form refund (POST)" in shown
    assert "reads: $customer, $order" in shown


@pytest.mark.slow
def test_damaged_templates_are_read_in_time() -> None:
    chance = random.Random(15)
    started = time.thread_time()
    for _ in range(60):
        data = bytearray(PAGE)
        for _ in range(12):
            data[chance.randrange(len(data))] = chance.choice(b"@(){}'\"<>-\x00")
        assert outline("a.blade.php", bytes(data), "").language == "blade"
    for odd in (b"@section(" * 20_000, b"{{ " * 20_000, b"{{--" * 10_000, b"@php " * 10_000, b"@if((" * 30_000):
        outline("a.blade.php", odd, "")
    assert time.thread_time() - started < 5
