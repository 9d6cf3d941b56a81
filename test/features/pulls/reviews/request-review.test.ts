import { describe, expect, test } from 'bun:test'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { requestReview } from '#features/pulls/reviews/request-review.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { updateTeam } from '#features/teams/update-team.ts'
import { refusal, withToken } from '../../../world.ts'
import { REPO } from '../fixture.ts'
import { makeReviewWorld } from './review-world.ts'

describe('people', () => {
  test('asked by the author or from triage on, shown, filtered, and done once they have reviewed', async () => {
    const { world, otto, mel, ready, ask, requested, review, waiting } = await makeReviewWorld()
    const number = await ready(otto)
    expect(await ask(number, { users: ['@mel', 't1', 'mel'] }, otto)).toEqual({
      users: ['mel', 't1'],
      teams: [],
      agents: [],
    })
    expect(world.events('pull.updated').at(-1)).toMatchObject({
      actor_id: otto.id,
      data: { number, changed: ['requested_reviewers'] },
    })
    const events = world.events('pull.updated').length
    await ask(number, { users: ['mel'] })
    expect(world.events('pull.updated')).toHaveLength(events)
    const other = await ready(otto, { 'a.txt': 'other\n' })
    await ask(other, { users: ['t1'] })
    expect([
      await waiting('t1'),
      await waiting('mel'),
      await waiting('max'),
      await waiting('nobody'),
    ]).toEqual([[other, number], [number], [], []])
    await review(number, mel)
    expect([(await requested(number)).users, await waiting('mel')]).toEqual([['t1'], []])
  })

  test('never the author, the person behind an agent, nor anybody who could not see it', async () => {
    const { world, ada, otto, mel, ready, ask, agent, count } = await makeReviewWorld()
    const number = await ready(mel)
    expect((await refusal(ask(number, { users: ['mel'] }))).field).toBe('users[0]')
    // On a public repository a stranger cannot be asked either, so that nobody is bothered from
    // afar.
    for (const name of ['otto', 'nobody'])
      expect([name, (await refusal(ask(number, { users: ['max', name] }))).field]).toEqual([
        name,
        'users[1]',
      ])
    const bot = await agent(mel)
    const byBot = await ready(bot)
    expect((await refusal(ask(byBot, { users: ['mel'] }))).field).toBe('users[0]')
    expect((await refusal(ask(byBot, { agents: ['mel/bot'] }))).field).toBe('agents[0]')
    expect((await ask(number, { agents: ['mel/bot'] })).agents).toEqual(['mel/bot'])
    expect((await refusal(ask(number, { agents: ['mel/other'] }))).field).toBe('agents[0]')
    expect((await refusal(ask(number, {}))).code).toBe('invalid')
    expect((await refusal(ask(number, { users: ['max'] }, otto))).reason).toBe('role')
    expect(
      (await refusal(ask(number, { users: ['max'] }, withToken(ada, { scopes: ['pulls:read'] }))))
        .reason,
    ).toBe('scope')
    expect(
      (await refusal(world.call(requestReview, ada, { repo: REPO, number: 999, users: ['max'] })))
        .code,
    ).toBe('not_found')
    expect(count('review_requests')).toBe(1)
  })

  test('a settled pull request asks nobody', async () => {
    const { world, ada, otto, ready, ask, cancel } = await makeReviewWorld()
    const number = await ready(otto)
    await ask(number, { users: ['mel'] })
    const { closePull } = await import('#features/pulls/lifecycle/close-pull.ts')
    await world.call(closePull, ada, { repo: REPO, number })
    expect((await refusal(ask(number, { users: ['t1'] }))).reason).toBe('not_open')
    expect((await refusal(cancel(number, { users: ['mel'] }))).reason).toBe('not_open')
  })
})

describe('teams', () => {
  test('without a rule everyone in it is asked, and one review answers for it', async () => {
    const { otto, t1, mel, ready, ask, requested, review, waiting, team } = await makeReviewWorld()
    await team('core', ['t1', 't2'])
    const number = await ready(otto)
    expect(await ask(number, { teams: ['core'] })).toEqual({
      users: [],
      teams: ['core'],
      agents: [],
    })
    expect([await waiting('t1'), await waiting('acme/core'), await waiting('mel')]).toEqual([
      [number],
      [number],
      [],
    ])
    await review(number, mel)
    expect((await requested(number)).teams).toEqual(['core'])
    await review(number, t1)
    expect((await requested(number)).teams).toEqual([])
  })

  test('in turn: the least recently asked, never the author, those asked already counted, the team stays beside them', async () => {
    const { t1, t2, otto, ready, ask, requested, review, team, cancel } = await makeReviewWorld()
    await team('core', ['t1', 't2', 't3'], { count: 1 })
    const picked: string[] = []
    for (let i = 0; i < 4; i++) {
      const { users, teams } = await ask(await ready(otto, { 'b.txt': `${i}\n` }), {
        teams: ['acme/core'],
      })
      expect(teams).toEqual(['core'])
      picked.push(...users)
    }
    expect(picked).toEqual(['t1', 't2', 't3', 't1'])
    // It would be t2's turn now; as the author they are passed over.
    const own = await ready(t2, { 'b.txt': 'own\n' })
    expect((await ask(own, { teams: ['core'] })).users).toEqual(['t3'])
    const number = await ready(otto, { 'b.txt': 'last\n' })
    expect(await ask(number, { users: ['t1'], teams: ['core'] })).toEqual({
      users: ['t1'],
      teams: ['core'],
      agents: [],
    })
    await review(number, t1)
    expect(await requested(number)).toEqual({ users: [], teams: [], agents: [] })
    const again = await ready(otto, { 'b.txt': 'again\n' })
    expect((await ask(again, { teams: ['core'] })).users).toEqual(['t2'])
    expect(await cancel(again, { teams: ['core'] })).toEqual({ users: [], teams: [], agents: [] })
  })

  test('by load, with the busy left out and child teams included; when nobody is left, the whole team is asked', async () => {
    const { otto, ready, ask, team, waiting } = await makeReviewWorld()
    await team('core', ['t1', 't2'], {
      algorithm: 'load_balance',
      skip_busy: true,
      busy_at: 2,
      include_child_teams: true,
      excluded: ['t2'],
    })
    await team('below', ['t3'], null, 'core')
    const numbers: number[] = []
    const picked: string[][] = []
    for (let i = 0; i < 5; i++) {
      numbers.push(await ready(otto, { 'b.txt': `${i}\n` }))
      picked.push((await ask(numbers[i] ?? 0, { teams: ['core'] })).users)
    }
    expect(picked).toEqual([['t1'], ['t3'], ['t1'], ['t3'], []])
    expect(await waiting('t2')).toEqual([numbers[4] ?? 0])
  })

  test('secret teams and those of other workspaces cannot be asked, and one that turns secret is not named', async () => {
    const { world, ada, otto, ready, ask, requested, team, waiting } = await makeReviewWorld()
    await team('core', ['t1'])
    await world.call(createTeam, ada, { workspace: 'acme', name: 'shadow', visibility: 'secret' })
    const number = await ready(otto)
    for (const name of ['shadow', 'nothing', 'other/core', 'a/b/c'])
      expect([name, (await refusal(ask(number, { teams: [name] }))).field]).toEqual([
        name,
        'teams[0]',
      ])
    await ask(number, { teams: ['core'] })
    await world.call(updateTeam, ada, { workspace: 'acme', team: 'core', visibility: 'secret' })
    expect([(await requested(number)).teams, await waiting('acme/core')]).toEqual([[], []])
  })
})

describe('code owners', () => {
  test('are asked when a draft turns ready: people with write and teams, from the base’s file, never the author', async () => {
    const { world, ada, mel, draft, requested, team } = await makeReviewWorld()
    await team('core', ['t1', 't2'], { count: 1 })
    await world.commit(
      REPO,
      'main',
      {
        CODEOWNERS:
          'a.txt @max\nb.txt @mel @max @otto @acme/core @nobody @other/core t3@example.com\n',
      },
      { as: ada },
    )
    // The change names other owners for itself, which is not listened to.
    const number = await draft(mel, { 'b.txt': 'changed\n', CODEOWNERS: '* @t4\n' })
    expect((await requested(number)).users).toEqual([])
    await world.call(markPullReady, mel, { repo: REPO, number, summary: 'Done.' })
    const asked = await requested(number)
    expect(asked).toEqual({ users: ['max', 't1', 't3'], teams: ['core'], agents: [] })
  })

  test('and when a branch is opened for review at once', async () => {
    const { world, ada, mel, fromBranch, requested } = await makeReviewWorld()
    await world.commit(REPO, 'main', { CODEOWNERS: 'b.txt @max\n' }, { as: ada })
    expect((await requested(await fromBranch(mel))).users).toEqual(['max'])
    expect(
      (await requested(await fromBranch(mel, 'other', { 'a.txt': 'changed\n' }))).users,
    ).toEqual([])
  })
})
