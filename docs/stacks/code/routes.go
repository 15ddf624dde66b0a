package main

import (
	"net/http"
	"strings"
)

// Handler has the six routes; serve is yours. An own router: ServeMux answers unknown routes in plain text.
func (trust Trust) Handler(serve func(http.ResponseWriter, *http.Request, Claims)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scope, organization := required(r.Method, strings.Split(r.URL.Path, "/")[1:])
		if scope == "" {
			Refuse(w, http.StatusNotFound, "There is no such route")
			return
		}
		claims, err := trust.Verify(r.Header.Get("Authorization"))
		if err != nil {
			Refuse(w, http.StatusUnauthorized, err.Error())
			return
		}
		if !claims.Permits(scope, organization) {
			Refuse(w, http.StatusForbidden, "The token does not permit this")
			return
		}
		serve(w, r, claims)
	})
}

// The scope that a route requires, and the organization that it names; no scope where there is no such route.
func required(method string, path []string) (scope, organization string) {
	if len(path) == 0 || path[0] != "orgs" {
		return "", ""
	}
	if len(path) > 1 {
		organization = path[1]
	}
	switch {
	case method == "GET" && len(path) == 1, method == "GET" && len(path) == 2:
		return "org:read", organization
	case method == "PATCH" && len(path) == 2:
		return "org:write", organization
	case len(path) < 3 || path[2] != "changes":
		return "", ""
	case method == "POST" && len(path) == 3:
		return "org.changes:write", organization
	case method == "GET" && len(path) <= 4:
		return "org.changes:read", organization
	}
	return "", ""
}
