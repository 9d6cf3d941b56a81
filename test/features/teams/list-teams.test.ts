import { describe, expect, test } from 'bun:test'
import { listTeams } from '#features/teams/list-teams.ts'
import { makeTeamWorld } from './fixture.ts'

const slugs = (list: { items: { slug: string }[] }) => list.items.map(({ slug }) => slug)

describe('changing and deleting', () => {
  test('q filters, and pages continue', async () => {
    const { world, ada, team } = await makeTeamWorld()
    for (const name of ['Alpha', 'Beta', 'Alphabet', '100%'])
      await team(name, name === '100%' ? { slug: 'all' } : {})
    const list = (input: object) => world.call(listTeams, ada, { workspace: 'acme', ...input })
    expect(slugs(await list({ q: 'alpha' }))).toEqual(['alphabet', 'alpha'])
    expect(slugs(await list({ q: '%' }))).toEqual(['all'])
    const first = await list({ per_page: 3 })
    expect([slugs(first), first.next]).toEqual([['all', 'alphabet', 'beta'], '2'])
    expect(slugs(await list({ per_page: 3, cursor: '2' }))).toEqual(['alpha'])
  })
})
