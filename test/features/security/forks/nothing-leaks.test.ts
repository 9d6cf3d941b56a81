/**
 * What is in a private fork cannot be told from what does not exist, by any operation, page or
 * request of git that is about the repository.
 */
import { expect, test } from 'bun:test'
import type { Caller } from '#core/caller.ts'
import { call } from '#core/operation.ts'
import { features } from '#features/index.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { Refusal } from '#lib/errors.ts'
import { makeForkGitWorld, REPO } from './fixture.ts'

const MARK = 'zebrafinch'
/** As long as the branch of the fork, so that lengths tell nothing either. */
const MISSING = 'nosuchbird'
/** An id that nothing has, with digits and letters where this one has them. */
const missingOid = (oid: string): string =>
  oid.replace(
    /./g,
    (one) => ({ '9': '0', f: 'a' })[one] ?? String.fromCharCode(one.charCodeAt(0) + 1),
  )

async function makeMarkedWorld() {
  const all = await makeForkGitWorld()
  const { world, ada, git, at, fork, open, invite, commit } = all
  await world.call(createWebhook, ada, { repo: REPO, url: 'https://hooks.example.com/in' })
  await open()
  await invite('ivy')
  await git('', 'clone', await at(fork, ada), 'fork')
  const oid = await commit('fork', MARK, `${MARK}.txt`, `the ${MARK} sings\n`)
  expect((await git('fork', 'push', 'origin', MARK)).code).toBe(0)
  await world.jobs()
  const parse = async (name: string) => (await git('fork', 'rev-parse', name)).out.trim()
  const oids = [oid, await parse('HEAD^{tree}'), await parse(`HEAD:${MARK}.txt`)]
  return { ...all, oid, oids }
}

const operations = features.flatMap((feature) => feature.operations ?? [])
/** Operations without a place that find what is in repositories. */
const FINDERS = /^(search|find|jump|explore|list_repos|list_user_repos|list_notifications)/

/** Operations that read what is in repositories, but for those of people who work on the advisory. */
const reads = operations.filter(
  ({ access, routes, name }) =>
    !access.writes &&
    !access.advisoryWork &&
    (routes.length === 0 || routes.some((route) => route.startsWith('GET '))) &&
    (access.target !== 'none' || FINDERS.test(name)) &&
    // Its answer has a fresh secret.
    name !== 'get_archive_link',
)

/** The names of inputs that take text. */
const textInputs = (operation: (typeof reads)[number]): string[] =>
  Object.entries((operation.input as { properties?: Record<string, object> }).properties ?? {})
    .filter(([name, schema]) => {
      const kinds = JSON.stringify(schema)
      return kinds.includes('"string"') && !['repo', 'workspace', 'cursor'].includes(name)
    })
    .map(([name]) => name)

test('no operation that reads tells an object or a name of the fork from a missing one', async () => {
  const { world, ada, mel, oids, id } = await makeMarkedWorld()
  const answer = async (
    operation: (typeof reads)[number],
    who: Caller,
    input: Record<string, unknown>,
  ): Promise<{ text: string; found: boolean }> => {
    try {
      const output = await call<unknown, unknown>(world.hearth, operation, who, input)
      return { text: JSON.stringify(output) ?? '', found: true }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { text: `${error.status} ${error.reason} ${error.message}`, found: false }
    }
  }
  /** Without what was asked for, which answers and errors may repeat. */
  const without = (text: string, probe: string): string =>
    [probe, probe.slice(0, 12), probe.slice(0, 7)].reduce(
      (rest, one) => rest.replaceAll(one, '?'),
      text,
    )
  const tip = oids[0] ?? ''
  const probes = [
    ...oids.map((oid) => ({ input: oid, of: oid, missing: missingOid(oid) })),
    { input: MARK, of: MARK, missing: MISSING },
    { input: `main...${tip}`, of: tip, missing: missingOid(tip) },
    { input: `main...ada:${MARK}`, of: MARK, missing: MISSING },
  ]
  const main = world.hearth.db.one<{ oid: string }>('SELECT oid FROM refs')?.oid ?? ''
  const told: string[] = []
  const reached = new Set<string>()
  for (const who of [mel, ada])
    for (const operation of reads) {
      const place =
        operation.access.target === 'workspace'
          ? { workspace: 'acme' }
          : operation.access.target === 'none'
            ? {}
            : { repo: REPO }
      const plain = await answer(operation, who, place)
      if ([MARK, ...oids].some((one) => plain.text.includes(one))) told.push(operation.name)
      for (const input of textInputs(operation)) {
        const rest = input === 'path' ? {} : { path: '' }
        const ask = (value: string) => answer(operation, who, { ...place, ...rest, [input]: value })
        if ((await ask(main)).found || (await ask(`${main}...${main}`)).found)
          reached.add(operation.name)
        for (const { input: probe, of, missing } of probes) {
          const [one, other] = [await ask(probe), await ask(probe.replace(of, missing))]
          if (without(one.text, of) !== without(other.text, missing))
            told.push(`${operation.name} ${input}=${probe}: ${one.text} / ${other.text}`)
        }
      }
    }
  expect(told).toEqual([])
  // The questions are real ones: with an object of the repository they are answered.
  for (const name of ['get_commit', 'get_tree', 'compare_commits', 'list_commits', 'search'])
    expect([...reached]).toContain(name)
  // The address of the fork is no repository.
  for (const operation of reads.filter(({ access }) => access.target === 'repo')) {
    const { found } = await answer(operation, ada, { repo: `${REPO}/security/advisories/${id}` })
    expect([operation.name, found]).toEqual([operation.name, false])
  }
})

test('git gets no object of it from the repository, in any protocol', async () => {
  const { world, ada, mel, oids, git, at, fork } = await makeMarkedWorld()
  for (const person of [ada, mel, null]) {
    const clone = `clone-${person?.username ?? 'anyone'}`
    expect((await git('', 'clone', await at(`${REPO}.git`, person), clone)).code).toBe(0)
    for (const version of ['0', '2'])
      for (const oid of oids) {
        const config = ['-c', `protocol.version=${version}`]
        const { code, error } = await git(clone, ...config, 'fetch', 'origin', oid)
        expect([code === 0, error]).toEqual([
          false,
          expect.stringMatching(/not our ref|unadvertised|no such remote ref|upload-pack/i),
        ])
      }
  }
  const listed = await git('', 'ls-remote', await at(`${REPO}.git`, ada))
  expect(listed.out).not.toContain(MARK)
  // The store of the repository has none of them.
  const store = world.hearth.db.one<{ store: string }>('SELECT store FROM repos')?.store ?? ''
  expect(await world.hearth.git.readCommit(store, oids[0] ?? '')).toBeNull()
  // Nor does a fetch of the fork by somebody who does not work there.
  const { code, error } = await git('clone-mel', 'fetch', await at(fork, mel), oids[0] ?? '')
  expect([code === 0, error]).toEqual([false, expect.stringContaining('not found')])
})

test('no page of the repository shows it', async () => {
  const { site, oid, id } = await makeMarkedWorld()
  const pages = [
    `commit/${oid}`,
    `commit/${oid}.patch`,
    `commit/${oid.slice(0, 10)}`,
    `tree/${oid}`,
    `tree/${MARK}`,
    `blob/${oid}/${MARK}.txt`,
    `raw/${oid}/${MARK}.txt`,
    `raw/${MARK}/${MARK}.txt`,
    `blame/${oid}/a.txt`,
    `commits/${MARK}`,
    `archive/${oid}.zip`,
    `compare/main...${oid}`,
    `compare/main...ada:${MARK}`,
    `security/advisories/${id}`,
  ]
  for (const path of pages) {
    const shown = await fetch(`${site.url}/${REPO}/${path}`, { redirect: 'manual' })
    expect([path, shown.status]).toEqual([path, 404])
  }
  for (const path of [
    '',
    'branches',
    'commits/main',
    'activity',
    'security',
    'security/advisories',
    'security/advisories.atom',
    'commits/main.atom',
    'releases.atom',
  ]) {
    const response = await fetch(`${site.url}/${REPO}/${path}`)
    const text = await response.text()
    for (const secret of [MARK, oid, oid.slice(0, 7), id]) expect(text).not.toContain(secret)
  }
})

test('no row besides those of the fork names it', async () => {
  const { world, oids } = await makeMarkedWorld()
  const tables = world.hearth.db.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`,
  )
  const naming = tables
    .map(({ name }) => name)
    .filter((name) => {
      const text = JSON.stringify(world.hearth.db.all(`SELECT * FROM "${name}"`))
      return [MARK, ...oids].some((one) => text.includes(one))
    })
  expect(naming).toEqual(['advisory_fork_refs'])
  const deliveries = JSON.stringify(world.hearth.db.all('SELECT * FROM webhook_payloads'))
  expect(deliveries).not.toContain('advisor')
  expect(world.events().filter(({ type }) => type.startsWith('security.'))).toEqual([])
})
