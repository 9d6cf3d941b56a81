/**
 * A private package never tells its name. Every address of every registry, of REST and of the
 * website is asked for a private package and for one that does not exist, with every method and in
 * several spellings, also beside an upstream, by strangers, by people of other workspaces and by members without a role. Both
 * answers have to be the same but for the name. Addresses of REST and pages come from their lists.
 * Lists, searches and the catalog of images never name it.
 */
import { expect, test } from 'bun:test'
import { deletePackage } from '#features/packages/delete-package.ts'
import { FORMATS } from '#features/packages/formats/index.ts'
import { setPackageUpstream } from '#features/packages/upstreams/set-package-upstream.ts'
import { UPSTREAM_TYPES } from '#features/packages/upstreams/schema.ts'
import { makeServedPackages } from './fixture.ts'
import {
  baseOf,
  DOORS,
  NOTHING,
  packageName,
  SECRET,
  seed,
  type Door,
  type Served,
} from './private-doors.ts'
import { startRegistry } from './upstreams/fixture.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const HEADERS = ['content-type', 'www-authenticate', 'etag', 'location', 'content-length', 'allow']
/** Compressed pages differ in length by the id of the request. */
const PAGE_HEADERS = HEADERS.filter((header) => header !== 'content-length')

/** Other spellings of an address that some door could read as the same. */
const spellings = (path: string, name: string): string[] => [
  path,
  `${path}/`,
  path.replaceAll(name, name.toUpperCase()),
  path.replaceAll(name, name.replace('z', '%7a')),
  `${path}.sha1`,
]

/** What tells answers apart, without the name. */
async function answerOf(response: Response, name: string): Promise<unknown> {
  const hide = (text: string | null): string =>
    (text ?? '')
      .replaceAll(new RegExp(name.replace('z', '(?:z|%7a)'), 'gi'), '<name>')
      .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '<id of the request>')
      .replaceAll(/name="csrf" value="[\w-]+"/g, '<token of the form>')
  const text = hide(await response.text())
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false
  const headers = isPage ? PAGE_HEADERS : HEADERS
  return [response.status, text, headers.map((header) => hide(response.headers.get(header)))]
}

type Ask = (method: string, path: string, token: string | undefined) => Promise<Response>

/** Asks for the private package and for the missing one, and holds the answers against each other. */
async function compare(
  ask: Ask,
  pathOf: (name: string) => string,
  method: string,
  token: string | undefined,
): Promise<void> {
  const path = pathOf(SECRET)
  const found = await ask(method, path, token)
  const isAnswered = found.ok && method === 'GET'
  const text = isAnswered ? await found.clone().text() : ''
  const missing = await answerOf(await ask(method, pathOf(NOTHING), token), NOTHING)
  expect([method, path, await answerOf(found, SECRET)]).toEqual([method, path, missing])
  // A list that names the package only where it was asked for it says nothing.
  if (isAnswered && !path.includes(SECRET)) expect(text).not.toContain(SECRET)
}

/** Who may not see the package, with the methods that each may try without making one of that name. */
async function askers({ token, mel, zoe }: Served) {
  return [
    { secret: undefined, methods: METHODS },
    { secret: `hthu_${'a'.repeat(46)}`, methods: METHODS },
    { secret: await token(zoe, ['packages:admin', 'code:read']), methods: METHODS },
    { secret: await token(mel, ['packages:admin', 'code:read']), methods: ['GET', 'DELETE'] },
  ]
}

/** The place of the person of another workspace among them. */
const OUTSIDER = 2

/** Every address of REST and of the website that names a package. */
function otherAddresses({ world, site }: Served, type: string): ((name: string) => string)[] {
  const routes = world.hearth.operations.flatMap((operation) => operation.routes)
  const rest = routes
    .filter((route) => route.includes('{package_name}'))
    .map((route) => `/api/v1${route.replace(/^\w+ (?:\/v1)?/, '')}`)
  const pages = site.map.pages
    .map(({ path }) => path)
    .filter((path) => path.includes('/:type/:name'))
  expect([rest.length > 10, pages.length > 2]).toEqual([true, true])
  return [...new Set([...rest, ...pages])].map(
    (path) => (name: string) =>
      path
        .replace(/\{workspace\}|:workspace/, 'acme')
        .replace(/\{package_type\}|:type/, type)
        .replace(/\{package_name\}|:name/, encodeURIComponent(packageName(type, name)))
        .replace(/\{version\}/, '1.0.0'),
  )
}

/** An address as it is, or in another spelling. */
type Spelled = { readonly pathOf: (name: string) => string; readonly isPlain: boolean }

function ownAddresses(door: Door): Spelled[] {
  const count = spellings('', '').length
  return door.addresses(SECRET).flatMap((_, index) =>
    Array.from({ length: count }, (__, spelling) => ({
      isPlain: spelling === 0,
      pathOf: (name: string) => {
        const path = door.addresses(name)[index]?.split(' ')[1] ?? ''
        return baseOf(door.type) + (spellings(path, name)[spelling] ?? '')
      },
    })),
  )
}

/** All methods for each address as it is; other spellings are read, and tried once with all methods. */
async function compareAll(served: Served, door: Door, isFirst: boolean): Promise<void> {
  const ask: Ask = (method, path, token) =>
    served.send(path, {
      method,
      ...(token !== undefined && { token }),
      ...(method.startsWith('P') && { body: '"1.0.0"' }),
    })
  for (const [index, { secret, methods }] of (await askers(served)).entries()) {
    for (const { pathOf, isPlain } of ownAddresses(door))
      for (const method of isPlain || (isFirst && index === OUTSIDER) ? methods : ['GET'])
        await compare(ask, pathOf, method, secret)
    // REST and the website are the same code for all types: one of them is asked in every way.
    for (const pathOf of otherAddresses(served, door.type))
      for (const method of isFirst && door.type === 'npm' ? methods : ['GET'])
        await compare(ask, pathOf, method, secret)
  }
}

/** Whoever may not publish is told nothing by trying it. */
async function comparePublishing(served: Served, { type, publish }: Door): Promise<void> {
  if (publish === undefined) return
  const outsider = await served.token(served.zoe, ['packages:admin'])
  for (const token of [undefined, outsider]) {
    const [found, missing] = await Promise.all(
      [SECRET, NOTHING].map(async (name) => {
        const [method, path, body] = await publish(name)
        const init = { method, body: body ?? null, ...(token !== undefined && { token }) }
        return answerOf(await served.send(baseOf(type) + path, init), name)
      }),
    )
    expect([type, found]).toEqual([type, missing])
  }
}

test('every format is here', () => {
  expect(DOORS.map(({ type }) => type).toSorted()).toEqual(
    FORMATS.map(({ type }) => type).toSorted(),
  )
})

for (const door of DOORS)
  test(`${door.type}: a private package answers as one that does not exist`, async () => {
    const served = await makeServedPackages()
    await seed(served, door)
    await compareAll(served, door, true)
    await comparePublishing(served, door)
    if (door.type === 'go') return
    await served.world.call(deletePackage, served.ada, {
      workspace: 'acme',
      package_type: door.type,
      package_name: packageName(door.type, SECRET),
      confirm: packageName(door.type, SECRET),
    })
    await compareAll(served, door, false)
  })

/** Every address of REST and of the website that lists something of a workspace, or of all. */
function listAddresses({ world, site }: Served): string[] {
  const routes = world.hearth.operations
    .flatMap((operation) => operation.routes)
    .filter((route) => route.startsWith('GET '))
    .map((route) => `/api/v1${route.replace(/^\w+ (?:\/v1)?/, '')}`)
  const pages = site.map.pages.map(({ path }) => path)
  const types = FORMATS.map(({ type }) => type)
  const paths = [...routes, ...pages]
    .map((path) => path.replace(/\{(?:workspace|owner)\}|:workspace/, 'acme'))
    .flatMap((path) =>
      /\{package_type\}|:type/.test(path)
        ? types.map((type) => path.replace(/\{package_type\}|:type/, type))
        : [path],
    )
    .filter((path) => !/[{:*]/.test(path))
  const searches = ['/api/v1/search?query=', '/api/v1/workspaces/acme/packages?query=']
  return [
    ...new Set(paths),
    '/v2/_catalog',
    '/v2/_catalog?n=1000',
    `/v2/_catalog?last=${SECRET.slice(0, -1)}`,
    ...searches.map((path) => path + SECRET),
    `/acme/-/packages?q=${SECRET}`,
  ]
}

test('no list, search or catalog names a private package', async () => {
  const served = await makeServedPackages()
  const tokens = await Promise.all(DOORS.map((door) => seed(served, door)))
  const addresses = listAddresses(served)
  expect(addresses.length).toBeGreaterThan(60)
  const read = async (path: string, token: string | undefined): Promise<string> =>
    (await served.send(path, token === undefined ? {} : { token })).text()
  for (const path of ['/v2/_catalog', '/api/v1/workspaces/acme/packages'])
    expect(await read(path, tokens[0])).toContain(SECRET)
  for (const { secret } of await askers(served))
    for (const path of addresses) {
      const asked = path.includes('?') ? SECRET : ''
      // What the caller asked for may be repeated, and tells nothing.
      const text = (await read(path, secret))
        .replaceAll(`"${asked}"`, '')
        .replaceAll(`=${asked}`, '')
      expect([path, text.includes(SECRET)]).toEqual([path, false])
    }
})

/** What registries answer before they are asked for a package. */
function describeRegistry({ set, url }: ReturnType<typeof startRegistry>): void {
  const types = [
    'PackageBaseAddress/3.0.0',
    'RegistrationsBaseUrl/3.4.0',
    'RegistrationsBaseUrl/3.6.0',
  ]
  set('/index.json', { resources: [{ '@id': `${url}/at`, '@type': types }] })
  set('/config.json', { dl: `${url}/crates/{crate}/{version}` })
  set('/packages.json', { 'metadata-url': '/p2/%package%.json' })
  set('/versions', 'created_at: 2020-01-01T00:00:00Z\n---\n')
}

for (const door of DOORS.filter(({ type }) => UPSTREAM_TYPES.some((one) => one === type)))
  test(`${door.type}: beside an upstream a private name answers as a missing one, and never leaves`, async () => {
    const served = await makeServedPackages({ outbound_allow: ['http://127.0.0.1'] })
    await seed(served, door)
    const registry = startRegistry()
    describeRegistry(registry)
    const upstream = { workspace: 'acme', package_type: door.type, url: registry.url }
    await served.world.call(setPackageUpstream, served.ada, upstream as never)
    const addresses = door.addresses(SECRET).filter((address) => address.startsWith('GET '))
    for (const { secret } of await askers(served))
      for (const index of addresses.keys()) {
        const pathOf = (name: string): string => {
          const own = door.addresses(name).filter((address) => address.startsWith('GET '))
          return baseOf(door.type) + (own[index] ?? '').slice('GET '.length)
        }
        const ask: Ask = (method, path, token) =>
          served.send(path, { method, ...(token !== undefined && { token }) })
        for (const method of ['GET', 'HEAD']) await compare(ask, pathOf, method, secret)
      }
    const asked = registry.requests.map(({ url }) => url)
    expect(asked.filter((url) => url.includes(SECRET))).toEqual([])
    // The member made the forge fetch.
    expect(asked.some((url) => url.includes(NOTHING))).toBe(true)
  })
