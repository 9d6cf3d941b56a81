/**
 * isomorphic-git as a client: `<action> <directory> <address> <user> <password> [ref]`; ends with 3
 * for what it cannot do.
 */
import fs from 'node:fs'
import git from 'isomorphic-git'
import http from 'isomorphic-git/http/node'

const [, , action = '', gitdir = '', url = '', username = '', password = '', ref = ''] =
  process.argv
const common = { fs, http, gitdir, dir: gitdir, url, onAuth: () => ({ username, password }) }
if (action === 'version') process.stdout.write(`${git.version()}\n`)
else if (action === 'clone' || action === 'fetch' || action === 'shallow') {
  if (action !== 'fetch') {
    await git.init({ fs, gitdir, bare: true, defaultBranch: 'main' })
    await git.addRemote({ fs, gitdir, remote: 'origin', url })
  }
  const shallow =
    action === 'shallow'
      ? { depth: 1, singleBranch: true, ref: 'main', tags: false }
      : { tags: true }
  await git.fetch({ ...common, remote: 'origin', ...shallow })
} else if (action === 'push') {
  const { ok, error } = await git.push({ ...common, remote: 'origin', ref, remoteRef: ref })
  if (!ok) throw new Error(error ?? 'refused')
} else process.exit(3)
