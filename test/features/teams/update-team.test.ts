import { describe, expect, test } from 'bun:test'
import { getTeam } from '#features/teams/get-team.ts'
import { listChildTeams } from '#features/teams/list-child-teams.ts'
import { updateTeam } from '#features/teams/update-team.ts'
import { refusal } from '../../world.ts'
import { makeTeamWorld } from './fixture.ts'

const slugs = (list: { items: { slug: string }[] }) => list.items.map(({ slug }) => slug)

describe('secret teams', () => {
  test('stand alone: no parent, no child', async () => {
    const { world, ada, team } = await makeTeamWorld()
    await team('Open')
    await team('Shadow', { visibility: 'secret' })
    expect((await refusal(team('Below', { parent: 'shadow' }))).field).toBe('parent')
    expect((await refusal(team('Hidden', { parent: 'open', visibility: 'secret' }))).field).toBe(
      'parent',
    )
    await team('Child', { parent: 'open' })
    const change = (name: string, input: object) =>
      world.call(updateTeam, ada, { workspace: 'acme', team: name, ...input })
    expect((await refusal(change('open', { visibility: 'secret' }))).field).toBe('visibility')
    expect((await refusal(change('child', { visibility: 'secret' }))).field).toBe('visibility')
    expect((await refusal(change('shadow', { parent: 'open' }))).field).toBe('parent')
    expect(await change('child', { visibility: 'secret', parent: null })).toMatchObject({
      visibility: 'secret',
      parent: null,
    })
  })
})

describe('nesting', () => {
  test('teams nest six levels deep and never in a cycle', async () => {
    const { world, ada, team } = await makeTeamWorld()
    for (let depth = 1; depth <= 6; depth++)
      await team(`t${depth}`, depth === 1 ? {} : { parent: `t${depth - 1}` })
    expect((await refusal(team('t7', { parent: 't6' }))).field).toBe('parent')
    const move = (name: string, parent: string | null) =>
      world.call(updateTeam, ada, { workspace: 'acme', team: name, parent })
    for (const [name, parent] of [
      ['t1', 't6'],
      ['t2', 't2'],
      ['t1', 't3'],
    ] as const)
      expect([name, parent, (await refusal(move(name, parent))).field]).toEqual([
        name,
        parent,
        'parent',
      ])
    await team('top')
    expect((await refusal(move('t1', 'top'))).field).toBe('parent')
    expect((await move('t4', 'top')).parent).toEqual({ slug: 'top', name: 'top' })
    expect(
      slugs(await world.call(listChildTeams, ada, { workspace: 'acme', team: 'top' })),
    ).toEqual(['t4'])
    expect(
      (await world.call(getTeam, ada, { workspace: 'acme', team: 'top' })).child_teams_count,
    ).toBe(1)
    // t4 to t6 moved away from t1 to t3, so they may become ancestors within six levels.
    expect((await refusal(move('t1', 't6'))).message).toContain('at most 6')
    expect((await move('t1', 't5')).parent?.slug).toBe('t5')
  })
})

describe('changing and deleting', () => {
  test('owners and maintainers change it; the slug stays', async () => {
    const { world, ada, bob, cy, team, join, audits } = await makeTeamWorld()
    await team('Core', {}, bob)
    await join('core', 'cy', 'member', bob)
    const change = (who: typeof ada, input: object) =>
      world.call(updateTeam, who, { workspace: 'acme', team: 'core', ...input })
    expect((await refusal(change(cy, { name: 'Mine' }))).reason).toBe('role')
    expect(await change(bob, { name: 'Kernel', notify: false })).toMatchObject({
      slug: 'core',
      name: 'Kernel',
      notify: false,
    })
    expect((await change(ada, { description: 'Of it all' })).name).toBe('Kernel')
    expect((await refusal(change(ada, {}))).code).toBe('invalid')
    expect(audits('team.updated').map(({ data }) => (data.after as { name: string }).name)).toEqual(
      ['Kernel', 'Kernel'],
    )
  })
})
