import { callbackOf, quoted, type SnippetValues } from './snippet.js';

/** net/http with go-oidc and x/oauth2: discovery, state and PKCE. */
export function goSnippet(values: SnippetValues): string {
  const { uri, path, startPath, port } = callbackOf(values);
  const isPublic = values.method === 'none';
  return `// go get github.com/coreos/go-oidc/v3/oidc golang.org/x/oauth2
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
${isPublic ? '' : '\t"os"\n'}	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func main() {
	provider, err := oidc.NewProvider(context.Background(), ${quoted(values.issuer)})
	if err != nil {
		log.Fatal(err)
	}
	config := oauth2.Config{
		ClientID:     ${quoted(values.appId)},
${isPublic ? '' : '\t\tClientSecret: os.Getenv("OIDC_CLIENT_SECRET"),\n'}		RedirectURL:  ${quoted(uri)},
		Endpoint:     provider.Endpoint(),
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: config.ClientID})

	http.HandleFunc(${quoted(startPath)}, func(w http.ResponseWriter, r *http.Request) {
		state, pkce := oauth2.GenerateVerifier(), oauth2.GenerateVerifier()
		http.SetCookie(w, &http.Cookie{Name: "sign_in", Value: state + "." + pkce, Path: "/", MaxAge: 600, HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, config.AuthCodeURL(state, oauth2.S256ChallengeOption(pkce)), http.StatusFound)
	})

${callback(path)}

	log.Fatal(http.ListenAndServe(${quoted(`:${port}`)}, nil))
}`;
}

function callback(path: string): string {
  return `	http.HandleFunc(${quoted(path)}, func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie("sign_in")
		if err != nil {
			http.Error(w, "This sign-in did not begin here", http.StatusBadRequest)
			return
		}
		state, pkce, _ := strings.Cut(cookie.Value, ".")
		if r.URL.Query().Get("state") != state {
			http.Error(w, "This sign-in did not begin here", http.StatusBadRequest)
			return
		}
		tokens, err := config.Exchange(r.Context(), r.URL.Query().Get("code"), oauth2.VerifierOption(pkce))
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		raw, _ := tokens.Extra("id_token").(string)
		idToken, err := verifier.Verify(r.Context(), raw)
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		// Begin a session of your own for idToken.Subject here.
		fmt.Fprintln(w, "Signed in as", idToken.Subject)
	})`;
}
