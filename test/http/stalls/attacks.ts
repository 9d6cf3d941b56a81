/**
 * What strangers can send to the parsers of a forge: a text becomes a body, a part of a body, a
 * header, a path, a query or a file that is then viewed.
 */
import type { ForgeClient, MeasuredForge } from './measured-forge.ts'
import { serviceAttacks } from './service-attacks.ts'

export type Attack = {
  readonly name: string
  /** Lengths of the texts. */
  readonly sizes: readonly number[]
  /** Sends one text in all its requests. Gives the last status; 0 when the connection was closed. */
  readonly send: (text: string) => Promise<number>
}

/** The longest header and path that the runtime takes, about. */
const HEADER = [15_000]
const SMALL_BODY = [60_000]
const BODY = [64_000, 1_000_000]
const FILE = [64_000, 400_000]

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** What may stand in a header, and in a path or query that is not percent-encoded. */
const asHeader = (text: string): string => text.replace(/[^\x20-\x7e]/g, 'x').trim()
const asAddress = (text: string): string => text.replace(/[^\x21-\x7e]|[?#%]/g, 'x')
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 15_000)

class Sender {
  constructor(private readonly forge: ForgeClient) {}

  async send(path: string, init: RequestInit = {}): Promise<number> {
    try {
      const response = await this.forge.send(path, { redirect: 'manual', ...init })
      await response.arrayBuffer()
      return response.status
    } catch {
      // A server that refuses a body closes the connection while it is still being sent.
      return 0
    }
  }

  /** A visitor's secret cookie and the token of the form on a page. */
  async visitor(path: string, cookie = ''): Promise<{ cookie: string; csrf: string }> {
    const response = await this.forge.send(path, { headers: { cookie } })
    const set = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
    const csrf = /name="csrf" value="([^"]+)"/.exec(await response.text())?.[1]
    if (csrf === undefined) throw new Error(`${path} has no form`)
    return { cookie: [cookie, ...set].filter((one) => one !== '').join('; '), csrf }
  }

  readonly withToken = (): Record<string, string> => ({
    authorization: `Bearer ${this.forge.token}`,
  })

  get(path: string): Promise<number> {
    return this.send(path, { headers: { cookie: this.forge.cookie } })
  }

  post(path: string, type: string, body: string, headers = this.withToken()): Promise<number> {
    return this.send(path, { method: 'POST', headers: { ...headers, 'content-type': type }, body })
  }
}

type Send = Attack['send']

async function bodyAttacks(sender: Sender, forge: ForgeClient): Promise<Attack[]> {
  const stranger = await sender.visitor('/login')
  const user = await sender.visitor('/acme/site/issues/new', forge.cookie)
  const form =
    (path: string, { cookie, csrf }: typeof user): Send =>
    (text) =>
      sender.post(path, FORM, `csrf=${encodeURIComponent(csrf)}&${text}`, { cookie })
  const multipart =
    (part: (text: string) => string): Send =>
    (text) => {
      const field = `--b\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n${user.csrf}`
      const body = `${field}\r\n${part(text)}\r\n--b--\r\n`
      const type = 'multipart/form-data; boundary=b'
      return sender.post('/acme/site/upload/main', type, body, { cookie: user.cookie })
    }
  const json =
    (path: string, body: (text: string) => string): Send =>
    (text) =>
      sender.post(path, JSON_TYPE, body(text), {
        ...sender.withToken(),
        accept: 'application/json, text/event-stream',
      })
  const issues = '/api/v1/repos/acme/site/issues'
  const call = (text: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search', arguments: { query: text } },
  })
  return [
    { name: 'form of a stranger', sizes: SMALL_BODY, send: form('/login', stranger) },
    { name: 'form of a user', sizes: BODY, send: form('/acme/site/issues/new', user) },
    { name: 'multipart', sizes: BODY, send: multipart((text) => text) },
    {
      name: 'headers of a part',
      sizes: [16_000, 64_000],
      send: multipart((text) => `--b\r\ncontent-disposition: form-data; name="a"${text}\r\n\r\n`),
    },
    { name: 'JSON', sizes: BODY, send: json(issues, (text) => text) },
    {
      name: 'text in JSON',
      sizes: BODY,
      send: json(issues, (body) => JSON.stringify({ title: 'a', labels: [body] })),
    },
    {
      name: 'a list in JSON',
      sizes: BODY,
      send: json(issues, (text) => `{"title":"a","labels":[${'"a",'.repeat(text.length / 4)}1]}`),
    },
    { name: 'preview', sizes: BODY, send: form('/-/preview', user) },
    { name: 'tool request', sizes: BODY, send: json('/mcp', (text) => text) },
    { name: 'tool call', sizes: BODY, send: json('/mcp', (text) => JSON.stringify(call(text))) },
    {
      name: 'OAuth token',
      sizes: SMALL_BODY,
      send: (text) => sender.post('/oauth/token', FORM, text, {}),
    },
  ]
}

function addressAttacks(sender: Sender): Attack[] {
  const paths = {
    path: (text: string) => `/${asAddress(text)}`,
    'path of a file': (text: string) => `/acme/site/blob/main/${asAddress(text)}`,
    'encoded path': (text: string) => `/acme/site/blob/main/${encoded(text)}`,
    'path of a tree': (text: string) => `/acme/site/tree/${asAddress(text)}`,
    'path of history': (text: string) => `/acme/site/commits/${asAddress(text)}`,
    'path of blame': (text: string) => `/acme/site/blame/main/${asAddress(text)}`,
    'path of a comparison': (text: string) => `/acme/site/compare/main...${asAddress(text)}`,
    'path of REST': (text: string) => `/api/v1/repos/acme/site/contents/${asAddress(text)}`,
    'path of git': (text: string) => `/${asAddress(text)}/info/refs?service=git-upload-pack`,
    query: (text: string) => `/api/v1/repos/acme/site/issues?${asAddress(text)}`,
    'filter of issues': (text: string) => `/acme/site/issues?q=${encoded(text)}`,
    'address to go on to': (text: string) => `/login?next=/${encoded(text)}`,
  }
  const queries = {
    search: (text: string) => `/search?q=${encoded(text)}`,
    'search in a repository': (text: string) => `/acme/site/search?q=${encoded(text)}`,
    'regular expression': (text: string) => `/acme/site/search?q=${encoded(`regex:/${text}/`)}`,
  }
  const attack =
    (sizes: readonly number[]) =>
    ([name, path]: [string, (text: string) => string]): Attack => ({
      name,
      sizes,
      send: (text) => sender.get(path(text)),
    })
  return [
    ...Object.entries(paths).map(attack(HEADER)),
    ...Object.entries(queries).map(attack([400, 4_000])),
  ]
}

function headerAttacks(sender: Sender): Attack[] {
  const raw = '/acme/site/raw/main/README.md'
  const refs = '/acme/site/info/refs?service=git-upload-pack'
  const headers: [name: string, path: string, before?: string][] = [
    ['cookie', '/acme/site'],
    ['cookie', '/acme/site', 'hearth='],
    ['accept', '/acme/site'],
    ['accept-encoding', '/api/openapi.json'],
    ['if-none-match', '/api/openapi.json'],
    ['range', raw],
    ['range', raw, 'bytes='],
    ['if-range', raw],
    ['authorization', '/acme/site'],
    ['authorization', '/api/v1/user', 'Bearer '],
    ['authorization', refs, 'Basic '],
    ['x-forwarded-for', '/acme/site'],
    ['user-agent', '/acme/site'],
    ['accept-language', '/acme/site'],
    ['git-protocol', refs],
    ['traceparent', '/acme/site'],
  ]
  return headers.map(([name, path, before = '']) => ({
    name: `header ${name}: ${before}`,
    sizes: HEADER,
    send: (text) => sender.send(path, { headers: { [name]: `${before}${asHeader(text)}` } }),
  }))
}

/** The text in lines of git's protocol. */
const packetLines = (text: string): string => {
  let lines = ''
  for (let at = 0; at < text.length; at += 16_000) {
    const line = text.slice(at, at + 16_000)
    lines += (Buffer.byteLength(line) + 4).toString(16).padStart(4, '0') + line
  }
  return lines
}

function gitAttacks(sender: Sender): Attack[] {
  const request =
    (service: string, body: (text: string) => string): Send =>
    (text) =>
      sender.post(`/acme/site/git-${service}`, `application/x-git-${service}-request`, body(text), {
        ...sender.withToken(),
        'git-protocol': 'version=2',
      })
  const command = (name: string) => `${packetLines(`command=${name}\n`)}0001`
  const push = (text: string): string => {
    const ref = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/`
    return `${packetLines(`${ref}${asAddress(text).slice(0, 4_000)}\0report-status`)}0000PACK${text}`
  }
  return [
    { name: 'fetch', sizes: BODY, send: request('upload-pack', (text) => text) },
    {
      name: 'lines of a fetch',
      sizes: BODY,
      send: request('upload-pack', (text) => `${command('fetch')}${packetLines(text)}0000`),
    },
    {
      name: 'ids of a fetch',
      sizes: BODY,
      send: request('upload-pack', (text) => {
        const ids = Buffer.from(text).toString('hex').match(/.{40}/g) ?? []
        return `${command('fetch')}${ids.map((id) => `0032want ${id}\n`).join('')}0009done\n0000`
      }),
    },
    {
      name: 'prefixes of refs',
      sizes: BODY,
      send: request('upload-pack', (text) => {
        const prefix = packetLines(`ref-prefix ${text.slice(0, 20)}\n`)
        return `${command('ls-refs')}${prefix.repeat(text.length / prefix.length)}0000`
      }),
    },
    { name: 'push', sizes: BODY, send: request('receive-pack', push) },
  ]
}

function contentAttacks(sender: Sender, forge: ForgeClient): Attack[] {
  let files = 0
  const commit = (path: string, content: string, message = 'Add a file'): Promise<Response> =>
    forge.api('POST', '/repos/acme/site/commits', {
      branch: 'main',
      message,
      files: [{ action: 'put', path, content }],
    })
  const file =
    (name: string, views: readonly string[], wrap = (text: string) => text): Send =>
    async (text) => {
      const path = name.startsWith('/') ? name.slice(1) : `f${files++}/${name}`
      const response = await commit(path, wrap(text.toWellFormed()))
      const { sha } = (await response.json()) as { sha?: string }
      if (sha === undefined) return response.status
      for (const view of views)
        await sender.get(`/acme/site/${view.replace('PATH', path).replace('SHA', sha)}`)
      return response.status
    }
  const notebook = (text: string): string => {
    const outputs = [{ output_type: 'display_data', data: { 'text/plain': text } }]
    const cells = [
      { cell_type: 'code', source: text, outputs },
      { cell_type: 'markdown', source: text },
    ]
    return JSON.stringify({ nbformat: 4, metadata: {}, cells })
  }
  const record: Send = async (text) => {
    const body = { title: 'a', body: text.toWellFormed() }
    const response = await forge.api('POST', '/v1/repos/acme/site/issues', body)
    const { number } = (await response.json()) as { number?: number }
    return number === undefined ? response.status : sender.get(`/acme/site/issues/${number}`)
  }
  const owners = ['code-owners', 'blob/main/README.md']
  return [
    { name: 'issue', sizes: SMALL_BODY, send: record },
    { name: 'Markdown', sizes: FILE, send: file('a.md', ['blob/main/PATH', 'commit/SHA']) },
    { name: 'source', sizes: FILE, send: file('a.java', ['blob/main/PATH', 'commit/SHA']) },
    { name: 'notebook', sizes: FILE, send: file('a.ipynb', ['blob/main/PATH'], notebook) },
    { name: 'table', sizes: FILE, send: file('a.csv', ['blob/main/PATH']) },
    { name: 'attributes', sizes: FILE, send: file('.gitattributes', ['tree/main']) },
    { name: 'submodules', sizes: SMALL_BODY, send: file('/.gitmodules', ['tree/main']) },
    { name: 'code owners', sizes: FILE, send: file('/CODEOWNERS', owners) },
    {
      name: 'pattern of code owners',
      sizes: [2_000, 60_000],
      send: file('/CODEOWNERS', owners, (text) => `${text.replace(/\s/g, 'x')} @ada\n`),
    },
    {
      name: 'message of a commit',
      sizes: SMALL_BODY,
      send: async (text) => {
        await commit(`f${files++}`, 'a', text.toWellFormed())
        return sender.get('/acme/site/commits/main')
      },
    },
  ]
}

/** Makes what the attacks need: a repository with a file. */
export async function prepareAttacks(forge: MeasuredForge): Promise<Attack[]> {
  await forge.seed('POST', '/v1/repos', { workspace: 'acme', name: 'site', private: false })
  await forge.seed('POST', '/repos/acme/site/commits', {
    branch: 'main',
    message: 'Begin',
    files: [{ action: 'put', path: 'README.md', content: 'hello\n' }],
  })
  return attacksOn(forge)
}

/** All attacks, on a forge that `prepareAttacks` has prepared. */
export async function attacksOn(forge: ForgeClient): Promise<Attack[]> {
  const sender = new Sender(forge)
  return [
    ...(await bodyAttacks(sender, forge)),
    ...addressAttacks(sender),
    ...headerAttacks(sender),
    ...gitAttacks(sender),
    ...contentAttacks(sender, forge),
    ...(await serviceAttacks(forge)),
  ]
}
