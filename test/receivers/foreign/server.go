package main

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strings"
)

// What comes after the tokens is asked of the test, so that it is the same behind each stack.
func serve(w http.ResponseWriter, r *http.Request, claims Claims) {
	var body any
	if text, _ := io.ReadAll(r.Body); len(text) > 0 && json.Unmarshal(text, &body) != nil {
		Refuse(w, http.StatusBadRequest, "The body is not JSON")
		return
	}
	call, _ := json.Marshal(map[string]any{
		"method": r.Method, "url": r.URL.RequestURI(), "body": body, "claims": claims,
	})
	response, err := http.Post(os.Getenv("BACKEND"), "application/json", bytes.NewReader(call))
	if err != nil {
		Refuse(w, http.StatusInternalServerError, "The request cannot be served")
		return
	}
	defer response.Body.Close()
	var answer struct {
		Status int
		Body   json.RawMessage
	}
	json.NewDecoder(response.Body).Decode(&answer)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.Status)
	w.Write(answer.Body)
}

func number(text string) *big.Int {
	bytes, _ := base64.RawURLEncoding.DecodeString(text)
	return new(big.Int).SetBytes(bytes)
}

func main() {
	text, err := os.ReadFile(os.Getenv("JWKS"))
	if err != nil {
		log.Fatal(err)
	}
	var set struct {
		Keys []struct{ Kid, Kty, N, E, X, Y string }
	}
	json.Unmarshal(text, &set)
	keys := map[string]crypto.PublicKey{}
	for _, key := range set.Keys {
		if key.Kty == "RSA" {
			keys[key.Kid] = &rsa.PublicKey{N: number(key.N), E: int(number(key.E).Int64())}
		} else {
			keys[key.Kid] = &ecdsa.PublicKey{Curve: elliptic.P256(), X: number(key.X), Y: number(key.Y)}
		}
	}
	audience := os.Getenv("AUDIENCE")
	issuers := map[string]map[string]crypto.PublicKey{os.Getenv("ISSUER"): keys}
	trust := Trust{Audience: audience, Issuers: issuers}
	log.Fatal(http.ListenAndServe(strings.TrimPrefix(audience, "http://"), trust.Handler(serve)))
}
