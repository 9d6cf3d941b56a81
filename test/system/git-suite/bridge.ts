/**
 * Stands in for `git http-backend` as a CGI program (RFC 3875): what upload-pack and receive-pack
 * would do goes to the engine behind `serve-bare`. All else that http-backend does by itself stays
 * with it: files of the old protocol without a service, which repositories are shown, and which
 * service is on. First argument: the address of serve-bare; second: its directory; third: the real
 * http-backend.
 */
import { existsSync, writeSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const [, , address = '', root = '', backend = ''] = process.argv
const { env } = process
const path = env.PATH_TRANSLATED ?? join(env.GIT_PROJECT_ROOT ?? '/', env.PATH_INFO ?? '')
const service = /^service=(git-(?:upload|receive)-pack)$/.exec(env.QUERY_STRING ?? '')?.[1] ?? null
const rpc = /\/(git-(?:upload|receive)-pack)$/.exec(path)?.[1] ?? null
const asked = rpc ?? (path.endsWith('/info/refs') ? service : null)

if (asked === null) fallBack()
const repository = path.replace(/\/(?:info\/refs|git-(?:upload|receive)-pack)$/, '')
const found = ['/.git', '', '.git']
  .map((ending) => repository + ending)
  .find((one) => existsSync(join(one, 'HEAD')))
const shown =
  env.GIT_HTTP_EXPORT_ALL !== undefined ||
  (found !== undefined && existsSync(join(found, 'git-daemon-export-ok')))
if (found === undefined || !shown || !isOn(found, asked!)) fallBack()

const body = env.REQUEST_METHOD === 'POST' ? Bun.stdin.stream() : null
const headers = new Headers()
const copy = (variable: string, name: string): void => {
  if (env[variable] !== undefined) headers.set(name, env[variable])
}
copy('CONTENT_TYPE', 'content-type')
copy('HTTP_CONTENT_ENCODING', 'content-encoding')
copy(env.GIT_PROTOCOL === undefined ? 'HTTP_GIT_PROTOCOL' : 'GIT_PROTOCOL', 'git-protocol')
copy('GIT_NAMESPACE', 'x-git-namespace')
const place = relative(root, found!).split('/').map(encodeURIComponent).join('/')
const query = env.QUERY_STRING ? `?${env.QUERY_STRING}` : ''
const response = await fetch(
  `${address}${place}/${rpc ?? 'info/refs'}${rpc === null ? query : ''}`,
  {
    method: body === null ? 'GET' : 'POST',
    headers,
    body,
    decompress: false,
  },
)
const lines = [`Status: ${response.status} ${response.statusText}`]
for (const name of ['expires', 'pragma', 'cache-control', 'content-type']) {
  const value = response.headers.get(name)
  if (value !== null) lines.push(`${name}: ${value}`)
}
put(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`))
for await (const part of response.body ?? []) put(part)
process.exit(0)

function put(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

/**
 * `http.uploadpack` and `http.receivepack`: pushing is for people who are known, unless the
 * repository says otherwise.
 */
function isOn(directory: string, name: string): boolean {
  const key = `http.${name.slice(4).replace('-', '')}`
  const git = Bun.spawnSync(
    [
      join(dirname(backend), 'git'),
      '-c',
      'safe.directory=*',
      '--git-dir',
      directory,
      'config',
      '--bool',
      key,
    ],
    { env },
  )
  const said = git.stdout.toString().trim()
  return said === '' ? name === 'git-upload-pack' || Boolean(env.REMOTE_USER) : said === 'true'
}

function fallBack(): never {
  const child = Bun.spawnSync([backend], {
    env,
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  process.exit(child.exitCode)
}
