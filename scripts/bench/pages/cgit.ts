/**
 * cgit behind lighttpd, with its cache off: what a page costs it, as the forge is asked without a
 * cache in front.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/ports.ts'

const CGI = '/usr/lib/cgit/cgit.cgi'

export type Cgit = { readonly url: string; readonly pid: number; stop(): Promise<void> }

/**
 * Serves one bare repository under the name `repo`. Gives an Error where cgit or lighttpd is
 * missing.
 */
export async function startCgit(repository: string, directory: string): Promise<Cgit> {
  for (const file of [CGI, '/usr/sbin/lighttpd'])
    if (!existsSync(file)) throw new Error(`${file} is not there: install cgit and lighttpd`)
  mkdirSync(directory, { recursive: true })
  const port = freePort()
  writeFileSync(
    join(directory, 'cgitrc'),
    `cache-size=0\nenable-blame=1\nenable-commit-graph=0\nenable-log-filecount=0\nenable-log-linecount=0\nmax-commit-count=30\nmax-blob-size=0\nvirtual-root=/\nrepo.url=repo\nrepo.path=${repository}\nrepo.desc=measured\n`,
  )
  writeFileSync(
    join(directory, 'lighttpd.conf'),
    `server.document-root = "${directory}"
server.bind = "127.0.0.1"
server.port = ${port}
server.modules = ("mod_alias", "mod_setenv", "mod_cgi")
server.upload-dirs = ("${directory}")
alias.url = ("/" => "${CGI}/")
cgi.assign = ("cgit.cgi" => "")
setenv.set-environment = ("CGIT_CONFIG" => "${directory}/cgitrc", "GIT_CONFIG_NOSYSTEM" => "1", "GIT_CONFIG_COUNT" => "1", "GIT_CONFIG_KEY_0" => "safe.directory", "GIT_CONFIG_VALUE_0" => "*")
`,
  )
  const child = Bun.spawn(['/usr/sbin/lighttpd', '-D', '-f', join(directory, 'lighttpd.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = async () => {
    child.kill()
    await child.exited
  }
  const url = `http://127.0.0.1:${port}`
  const until = performance.now() + 10_000
  while (performance.now() < until) {
    const answer = await fetch(`${url}/repo/`).catch(() => null)
    if (answer?.ok && (await answer.text()).includes('measured'))
      return { url, pid: child.pid, stop }
    await Bun.sleep(50)
  }
  await stop()
  throw new Error('cgit does not answer')
}
