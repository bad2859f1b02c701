package gateway

import (
	"errors"
	"net/http"
	"strings"
	"sync"
)

var ErrFrozen = errors.New("router is frozen")

type node struct {
	segment  string
	children []*node
	param    *node
	handler  http.Handler
}

// Router matches paths segment by segment.
type Router struct {
	mu       sync.RWMutex
	root     *node
	frozen   bool
	NotFound http.Handler
}

func New() *Router {
	return &Router{root: &node{}, NotFound: http.NotFoundHandler()}
}

func (r *Router) Handle(pattern string, h http.Handler) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.frozen {
		return ErrFrozen
	}
	current := r.root
	for _, segment := range split(pattern) {
		current = current.child(segment)
	}
	current.handler = h
	return nil
}

func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.freeze()
	params := map[string]string{}
	found := r.root.match(split(req.URL.Path), params)
	if found == nil || found.handler == nil {
		r.NotFound.ServeHTTP(w, req)
		return
	}
	found.handler.ServeHTTP(w, withParams(req, params))
}

func (r *Router) freeze() {
	r.mu.Lock()
	r.frozen = true
	r.mu.Unlock()
}

func (n *node) child(segment string) *node {
	if strings.HasPrefix(segment, ":") {
		if n.param == nil {
			n.param = &node{segment: segment[1:]}
		}
		return n.param
	}
	for _, c := range n.children {
		if c.segment == segment {
			return c
		}
	}
	c := &node{segment: segment}
	n.children = append(n.children, c)
	return c
}

func (n *node) match(segments []string, params map[string]string) *node {
	if len(segments) == 0 {
		return n
	}
	for _, c := range n.children {
		if c.segment == segments[0] {
			if found := c.match(segments[1:], params); found != nil && found.handler != nil {
				return found
			}
		}
	}
	if n.param != nil {
		params[n.param.segment] = segments[0]
		return n.param.match(segments[1:], params)
	}
	return nil
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
