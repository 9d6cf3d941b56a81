// go-git as a client: `<action> <directory> <address> <user> <password> [ref]`; ends with 3 for what it cannot do.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing/transport/http"
)

func main() {
	action, directory := os.Args[1], os.Args[2]
	if action == "version" {
		info, _ := debug.ReadBuildInfo()
		for _, dep := range info.Deps {
			if dep.Path == "github.com/go-git/go-git/v5" {
				fmt.Println(dep.Version)
			}
		}
		return
	}
	auth := &http.BasicAuth{Username: os.Args[4], Password: os.Args[5]}
	var err error
	switch action {
	case "clone":
		_, err = git.PlainClone(directory, true, &git.CloneOptions{URL: os.Args[3], Auth: auth, Mirror: true})
	case "shallow":
		_, err = git.PlainClone(directory, true, &git.CloneOptions{URL: os.Args[3], Auth: auth, Depth: 1, SingleBranch: true})
	case "fetch":
		var repo *git.Repository
		if repo, err = git.PlainOpen(directory); err == nil {
			err = repo.Fetch(&git.FetchOptions{RemoteName: "origin", Auth: auth, RefSpecs: []config.RefSpec{"+refs/*:refs/*"}})
		}
	case "push":
		var repo *git.Repository
		if repo, err = git.PlainOpen(directory); err == nil {
			err = repo.Push(&git.PushOptions{RemoteName: "origin", Auth: auth, RefSpecs: []config.RefSpec{config.RefSpec(os.Args[6] + ":" + os.Args[6])}})
		}
	default:
		os.Exit(3)
	}
	if err != nil && !errors.Is(err, git.NoErrAlreadyUpToDate) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
