import { expect, test } from 'bun:test'
import type { Typed } from '#core/operation.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { createTeam } from '#features/teams/create-team.ts'
import { setTeamMember } from '#features/teams/set-team-member.ts'
import { makePullWorld, REPO } from './fixture.ts'
import { countQueries } from '../../queries.ts'

/**
 * A forge with rules, and a way to make pull requests that have everything: labels, assignees,
 * reviews, requests.
 */
async function busy() {
  const made = await makePullWorld({ required_approvals: 1 })
  const { world, ada, mel, max, otto, ready, issue } = made
  await world.call(createRuleset, ada, {
    repo: REPO,
    name: 'By pull request',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [
      { type: 'pull_request', parameters: {} },
      { type: 'non_fast_forward', parameters: {} },
    ],
  })
  let serial = 0
  const add = async (count: number) => {
    for (let n = 0; n < count; n++, serial++) {
      const number = await ready(otto, { [`${serial}.txt`]: 'new\n' }, { issue: await issue() })
      await world.call(updatePull, ada, {
        repo: REPO,
        number,
        labels: ['bug'],
        assignees: ['mel', 'max'],
      })
      await world.call(reviewPull, mel, { repo: REPO, number, verdict: 'approve' })
      await world.call(reviewPull, max, { repo: REPO, number, verdict: 'comment', body: 'Well.' })
    }
    await world.jobs()
  }
  const asked = async <I, O>(operation: Typed<I, O>, input: NoInfer<I>) => {
    const { result, queries } = await countQueries(world.hearth, () =>
      world.call(operation, otto, input, { untrusted: () => {} }),
    )
    return { answer: result, statements: queries }
  }
  return { ...made, add, asked }
}

test('a longer list asks the database no more often', async () => {
  const { add, asked } = await busy()
  const counts = async () => ({
    pulls: (await asked(listPulls, { repo: REPO, state: 'all' })).statements,
    issues: (await asked(listIssues, { repo: REPO })).statements,
    events: (await asked(listEvents, { repo: REPO })).statements,
  })
  await add(2)
  const few = await counts()
  await add(4)
  expect(await counts()).toEqual(few)
  const { answer } = await asked(listPulls, { repo: REPO, state: 'all' })
  expect(answer.items).toHaveLength(6)
  for (const pull of answer.items) {
    expect(pull).toMatchObject({
      labels: ['bug'],
      assignees: [{ username: 'mel' }, { username: 'max' }],
      approvals: { required: 1, counted: 1 },
      mergeable: 'yes',
    })
  }
})

test('a list and a single record show the same', async () => {
  const { add, asked } = await busy()
  await add(2)
  const { answer } = await asked(listPulls, { repo: REPO })
  for (const pull of answer.items)
    expect((await asked(getPull, { repo: REPO, number: pull.number })).answer.pull).toEqual(pull)
})

test('rules that count for each pull request ask once for all', async () => {
  const made = await busy()
  const { world, ada, mel, otto, agent, ready, asked } = made
  const bot = await agent(otto)
  const team = await world.call(createTeam, ada, { workspace: 'acme', name: 'Doors' })
  await world.call(setTeamMember, ada, { workspace: 'acme', team: team.slug, username: 'mel' })
  await world.call(createRuleset, ada, {
    repo: REPO,
    name: 'Everything about reviews',
    enforcement: 'active',
    target: 'branch',
    conditions: { ref_name: { include: ['~ALL'], exclude: [] } },
    rules: [
      {
        type: 'pull_request',
        parameters: { require_last_push_approval: true, require_conversation_resolution: true },
      },
      { type: 'session_required', parameters: { min_entries: 2 } },
      { type: 'session_required', parameters: { kinds: ['plan'] } },
      { type: 'human_approval', parameters: { from: [`acme/${team.slug}`] } },
    ],
  })
  let serial = 0
  const add = async (count: number) => {
    for (let n = 0; n < count; n++, serial++) {
      const number = await ready(bot, { [`${serial}.txt`]: 'new\n' })
      await world.call(reviewPull, mel, {
        repo: REPO,
        number,
        verdict: 'approve',
        comments: [{ path: `${serial}.txt`, line: 1, body: 'Why?' }],
      })
    }
    await world.jobs()
  }
  const statements = async () => (await asked(listPulls, { repo: REPO })).statements
  await add(2)
  const few = await statements()
  await add(5)
  expect(await statements()).toBe(few)
  const { answer } = await asked(listPulls, { repo: REPO })
  expect(answer.items).toHaveLength(7)
  for (const { number, blockers } of answer.items) {
    expect([number, blockers.map(({ details }) => details.type ?? null)]).toEqual([
      number,
      expect.arrayContaining(['session_required']),
    ])
  }
})
