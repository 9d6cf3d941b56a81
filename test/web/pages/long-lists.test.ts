/** Lists that are longer than a page: everything in them is reached by links. */
import { expect, test } from 'bun:test'
import { createLabel } from '#features/issues/index.ts'
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
  const found = await findAll('/acme/site/labels', /name="label" value="(label-\d+)"/g, 'page=')
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
