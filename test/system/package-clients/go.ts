import { join } from 'node:path'
import { Client, type Place } from './client.ts'

/** No port can stand in the path of a module, so it has a name that nobody resolves. */
const MODULE = 'forge.example/acme/hello'

async function push(client: Client): Promise<void> {
  const { url, token, workspace } = client.place
  const made = await fetch(`${url}/api/v1/repos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ workspace, name: 'hello', private: true }),
  })
  client.check('a repository', made.ok, await made.text())
  client.write('hello/go.mod', `module ${MODULE}\n\ngo 1.22\n`)
  client.write('hello/hello.go', 'package hello\n\nfunc Hello() string { return "one" }\n')
  client.write('hello/tools/go.mod', `module ${MODULE}/tools\n\ngo 1.22\n`)
  client.write('hello/tools/tools.go', 'package tools\n\nconst Name = "tools"\n')
  const remote = `${url.replace('://', `://token:${token}@`)}/${workspace}/hello.git`
  const script = `set -e
git init -q -b main . && git config user.email ada@example.com && git config user.name Ada
git add . && git commit -qm one && git tag v1.0.0 && git tag tools/v0.3.0
sed -i s/one/two/ hello.go && git commit -qam two && git tag -a -m two v1.1.0
sed -i s/two/three/ hello.go && git commit -qam three
git push -q ${remote} main --tags`
  await client.succeeds('push tags', 'hello', ['sh', '-c', script])
}

const PROGRAM = `package main

import (
	"fmt"
	"${MODULE}"
)

func main() { fmt.Println(hello.Hello()) }
`

/** The go command sends a token over TLS only. Passes everything on to the forge. */
export function serveTls(client: Client): { readonly port: number; readonly stop: () => void } {
  const [key, cert] = [client.path('key.pem'), client.path('cert.pem')]
  const words = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=forge',
  ]
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1']
  Bun.spawnSync(['openssl', ...words, ...names, '-keyout', key, '-out', cert])
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { key: Bun.file(key), cert: Bun.file(cert) },
    fetch: ({ url, headers }) => {
      const { pathname, search } = new URL(url)
      const authorization = headers.get('authorization')
      return fetch(`${client.place.url}${pathname}${search}`, {
        headers: authorization === null ? {} : { authorization },
      })
    },
  })
  return { port: server.port ?? 0, stop: () => void server.stop(true) }
}

export async function runGo(place: Place): Promise<Client> {
  const certificate = join(place.directory, 'cert.pem')
  const tls = serveTls(new Client('go', place))
  try {
    const address = `https://127.0.0.1:${tls.port}/packages/${place.workspace}/go`
    return await runAgainst(place, address, certificate)
  } finally {
    tls.stop()
  }
}

async function runAgainst(place: Place, proxy: string, certificate: string): Promise<Client> {
  const signed = proxy.replace('://', `://token:${place.token}@`)
  const client = new Client('go', place, {
    GOPROXY: signed,
    GONOSUMDB: 'forge.example/*',
    GOFLAGS: '-mod=mod -modcacherw',
    GOTOOLCHAIN: 'local',
    SSL_CERT_FILE: certificate,
  })
  await push(client)
  client.write('app/go.mod', 'module example.com/app\n\ngo 1.22\n')
  client.write('app/main.go', PROGRAM)
  await client.fails('no token', /not found|404/, 'app', ['go', 'get', MODULE], { GOPROXY: proxy })
  const wrong = signed.replace(place.token, `hthu_${'a'.repeat(46)}`)
  await client.fails('a wrong token', /401|not valid/, 'app', ['go', 'get', MODULE], {
    GOPROXY: wrong,
  })
  const runs = async (what: string, version: string, text: string): Promise<void> => {
    await client.succeeds(`get ${what}`, 'app', ['go', 'get', `${MODULE}@${version}`])
    const said = await client.succeeds(`run ${what}`, 'app', ['go', 'run', '.'])
    client.check(`${what} is what was tagged`, said.trim() === text, said)
  }
  await runs('a version', 'v1.0.0', 'one')
  await runs('the latest version', 'latest', 'two')
  await runs('a branch', 'main', 'three')
  const list = await client.succeeds('list', 'app', ['go', 'list', '-m', '-versions', MODULE])
  client.check('list shows the tags', list.includes('v1.0.0 v1.1.0'), list)
  await client.succeeds('a module in a folder', 'app', ['go', 'get', `${MODULE}/tools@v0.3.0`])
  await client.succeeds('verify', 'app', ['go', 'mod', 'verify'])
  await client.fails('a missing version', /not found|unknown/, 'app', [
    'go',
    'get',
    `${MODULE}@v9.9.9`,
  ])
  await client.run('app', ['go', 'clean', '-modcache'])
  return client
}
