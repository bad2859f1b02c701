// Copyright 2026 The Shop Authors.

//go:build linux

// Package main keeps orders. It has no database.
package main

import (
	"fmt"
	x "example.org/shop/stock"
)

const Version = "1.2"

// Kinds of order.
const (
	// Small is a small order.
	Small = iota
	Large // a large one
	hidden
)

var ErrFull, errEmpty = fmt.Errorf("full"), error(nil)

// Store keeps orders.
type Store[T any] struct {
	Name, Title string `json:"name"`
	orders      []T
	*x.Shelf
}

type (
	// Reader reads.
	Reader interface {
		Read(id int) (string, error)
		fmt.Stringer
	}
	ID    = string
	visit func(id int) bool
)

// Add puts an order into the store.
func (s *Store[T]) Add(
	order T,
	count int,
) (id int, err error) {
	return 0, nil
}

func (s Store[T]) private() {}

func (o Other) Show() {}

func main() {}
