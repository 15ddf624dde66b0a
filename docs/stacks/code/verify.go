package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

const bindingClaim = "https://example.com/org_id"

// Trust says whose tokens are good, and where: the keys of each trusted issuer by its iss, then by kid.
type Trust struct {
	Audience string
	Issuers  map[string]map[string]crypto.PublicKey
}

// Claims of a token, as JSON has them.
type Claims map[string]any

var errInvalid = errors.New("the token is not valid")

// Verify makes checks 1 to 4: signature, issuer, audience, expiry.
func (trust Trust) Verify(authorization string) (Claims, error) {
	scheme, token, _ := strings.Cut(authorization, " ")
	parts := strings.Split(token, ".")
	if !strings.EqualFold(scheme, "Bearer") || len(parts) != 3 {
		return nil, errInvalid
	}
	var header struct {
		Alg, Kid string
		Crit     any
	}
	var claims Claims
	if decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil || header.Crit != nil {
		return nil, errInvalid
	}
	issuer, _ := claims["iss"].(string)
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	key := trust.Issuers[issuer][header.Kid]
	if err != nil || !signed(header.Alg, key, parts[0]+"."+parts[1], signature) {
		return nil, errInvalid
	}
	subject, _ := claims["sub"].(string)
	_, issued := claims["iat"].(float64)
	expires, _ := claims["exp"].(float64)
	notBefore, _ := claims["nbf"].(float64)
	now := float64(time.Now().Unix())
	const skew = 30
	if claims["aud"] != trust.Audience || subject == "" || !issued ||
		now >= expires+skew || now < notBefore-skew {
		return nil, errInvalid
	}
	return claims, nil
}

// Permits makes checks 5 and 6: scope and binding. Check 7, your own access policy, comes after them.
func (claims Claims) Permits(scope, organization string) bool {
	granted, _ := claims["scope"].(string)
	bound, isBound := claims[bindingClaim]
	if organization != "" && isBound && bound != organization {
		return false
	}
	for _, one := range strings.Split(granted, " ") {
		if one == scope {
			return true
		}
	}
	return false
}

func decode(part string, value any) error {
	text, err := base64.RawURLEncoding.Strict().DecodeString(part)
	if err != nil || !utf8.Valid(text) {
		return errInvalid
	}
	return json.Unmarshal(text, value)
}

// The type of the key decides what an algorithm may be: no token chooses it.
func signed(alg string, key crypto.PublicKey, text string, signature []byte) bool {
	digest := sha256.Sum256([]byte(text))
	switch key := key.(type) {
	case *rsa.PublicKey:
		return alg == "RS256" && rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	case *ecdsa.PublicKey:
		if alg != "ES256" || len(signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(key, digest[:], r, s)
	}
	return false
}

// Refuse answers with an Error body of the contract.
func Refuse(w http.ResponseWriter, status int, message string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"status": status, "message": message, "errors": []any{}})
}
