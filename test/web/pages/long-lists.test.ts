/** Lists that are longer than a page: everything in them is reached by links. */
import { expect, test } from 'bun:test'
import { createAgent, stopAllAgents } from '#features/agents/index.ts'
import { createIssue, createLabel } from '#features/issues/index.ts'
import { createTeam, setTeamMember, setTeamRepo } from '#features/teams/operations.ts'
import { inviteMember } from '#features/workspaces/operations.ts'
import { runForge } from '../../features/oauth/running.ts'

const COUNT = 65
const forge = await runForge()
const ada = await forge.user('ada')
const people = await Promise.all(
  Array.from({ length: COUNT }, (_, at) => forge.user(`person-${at}`)),
)
await forge.workspace('acme', { owner: ada, members: people })
await forge.repo('acme/site', { as: ada })
const reader = await forge.browser('ada')

/** Follows the links to next pages, and gives what the pattern finds on all of them. */
async function findAll(address: string, pattern: RegExp, inLink: string): Promise<string[]> {
  const found: string[] = []
  for (let next: string | undefined = address; next !== undefined; ) {
    const { status, html } = await reader.open(next)
    expect([next, status]).toEqual([next, 200])
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
    found.push(...[...html.matchAll(pattern)].map(([, name = '']) => name))
    next = [...html.matchAll(/href="([^"]+)" rel="next"/g)]
      .map(([, href = '']) => href.replaceAll('&amp;', '&'))
      .find((href) => href.includes(inLink))
  }
  return [...new Set(found)].sort()
}

const names = (prefix: string): string[] =>
  Array.from({ length: COUNT }, (_, at) => `${prefix}-${at}`).sort()

test('labels', async () => {
  for (const name of names('label'))
    await forge.call(createLabel, ada, { repo: 'acme/site', name, description: 'x'.repeat(100) })
  const found = await findAll('/acme/site/labels', /\?label=(label-\d+)"/g, 'page=')
  expect(found).toEqual(names('label'))
})

test('people and repositories of a team', async () => {
  await forge.call(createTeam, ada, { workspace: 'acme', name: 'All' })
  const at = { workspace: 'acme', team: 'all' }
  for (const username of names('person')) await forge.call(setTeamMember, ada, { ...at, username })
  for (const name of names('repo')) {
    await forge.repo(`acme/${name}`, { as: ada })
    await forge.call(setTeamRepo, ada, { ...at, repo: `acme/${name}`, role: 'read' })
  }
  const page = '/acme/-/teams/all'
  expect(await findAll(page, /href="\/(person-\d+)"/g, '?page=')).toEqual(names('person'))
  expect(await findAll(page, /href="\/acme\/(repo-\d+)"/g, 'repos=')).toEqual(names('repo'))
})

test('members and invitations of a workspace', async () => {
  for (const name of names('guest'))
    await forge.call(inviteMember, ada, { workspace: 'acme', email: `${name}@example.com` })
  const page = '/acme/-/members'
  expect(await findAll(page, /href="\/(person-\d+)"/g, '?page=')).toEqual(names('person'))
  expect(await findAll(page, /(guest-\d+)@example/g, 'invitations=')).toEqual(names('guest'))
})

test('running and ended agents of a repository, and the running ones of a workspace', async () => {
  for (const name of names('ended')) await forge.call(createAgent, ada, { repo: 'acme/site', name })
  await forge.call(stopAllAgents, ada, { repo: 'acme/site', reason: 'x'.repeat(100) })
  for (const name of names('agent')) await forge.call(createAgent, ada, { repo: 'acme/site', name })
  const page = '/acme/site/agents'
  const running = /<strong>(agent-\d+)</g
  expect(await findAll(page, running, 'running=')).toEqual(names('agent'))
  // With the last page of the other list, which then has no next one.
  const ended = `${page}?running=4`
  expect(await findAll(ended, /<strong>(ended-\d+)</g, '&page=')).toEqual(names('ended'))
  expect(await findAll('/acme/-/agents', running, 'running=')).toEqual(names('agent'))
  // A step in one list leaves the other where it is.
  const { html } = await reader.open(`${page}?page=4&running=2`)
  expect(html).toContain(`href="${page}?page=4&amp;running=3" rel="next"`)
  expect(html).toContain(`href="${page}?running=2&amp;page=3" rel="prev"`)
  // An agent is stopped on the page that it is on, also on that of the workspace.
  for (const [address, form] of [
    [`${page}?page=2&running=2`, `${page}/stop`],
    ['/acme/-/agents?running=3', '/acme/-/agents/stop'],
  ] as const) {
    const shown = (await reader.open(address)).html
    const [, name = ''] = /<strong>(agent-\d+)</.exec(shown) ?? []
    const stopped = await reader.press(shown, form, {})
    expect([stopped.status, stopped.location]).toEqual([303, address])
    expect((await reader.open(address)).html).not.toContain(`<strong>${name}</strong> <a`)
  }
})

test('results of a search', async () => {
  const labels = names('label').slice(0, 30)
  for (const name of names('found'))
    await forge.call(createIssue, ada, {
      repo: 'acme/site',
      title: `${name} ${'<a> '.repeat(55)}`,
      body: 'a <b> '.repeat(500),
      labels,
    })
  await forge.commit(
    'acme/site',
    'main',
    Object.fromEntries(
      names('found').map((name) => [`${name}.ts`, 'a = <b>; '.repeat(30).concat('\n').repeat(9)]),
    ),
  )
  await forge.jobs()
  for (const type of ['issues', 'code'])
    expect(await findAll(`/search?q=a&type=${type}`, /(found-\d+)/g, 'page=')).toEqual(
      names('found'),
    )
})

test('rows of a table', async () => {
  const rows = names('row').flatMap((name) =>
    Array.from({ length: 60 }, (_, at) => `${name}-${at},<a>,"b, ""c""",${'d'.repeat(30)}`),
  )
  const content = ['name,x,y,long', ...rows, `last,${'e'.repeat(90_000)}`].join('\n')
  await forge.commit('acme/site', 'main', { 'rows.csv': content })
  const address = '/acme/site/blob/main/rows.csv'
  const found = await findAll(address, /<td>(row-\d+-\d+)</g, '?page=')
  expect(found).toEqual(rows.map((row) => row.split(',')[0] ?? '').sort())
  const { html } = await reader.open(`${address}?page=99`)
  expect(html).toContain('<th scope="col">name</th>')
  expect(html).toContain(`<td>last</td><td>${'e'.repeat(500)}…</td>`)
  expect(html).toContain('Not all of this table is shown.')
})
