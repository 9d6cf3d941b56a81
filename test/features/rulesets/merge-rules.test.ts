import { describe, expect, test } from 'bun:test'
import type { AgentCaller } from '#core/caller.ts'
import { createLabel } from '#features/issues/labels/create-label.ts'
import { addComment } from '#features/issues/comments/add-comment.ts'
import { resolveComment } from '#features/issues/comments/resolve-comment.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { reviewPull } from '#features/pulls/reviews/review-pull.ts'
import { deleteRuleset } from '#features/rulesets/delete-ruleset.ts'
import { updateRuleset } from '#features/rulesets/update-ruleset.ts'
import { setCommitStatus } from '#features/statuses/set-commit-status.ts'
import { DAY, HOUR } from '#lib/time.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal } from '../../world.ts'
import { makeRuleWorld, of, type RuleInput } from './fixture.ts'

const forge = await makeRuleWorld()
const { world, ada, mel, max, otto, pull, rule, ready } = forge
await forge.teams(['security', 'max'])
const bot: AgentCaller = await forge.agent(otto, 'coder')
const start = world.clock.now()

const blockersOf = async (number: number) =>
  (await world.call(getPull, mel, { repo: REPO, number })).blockers
const approve = (who: typeof mel, number: number) =>
  world.call(reviewPull, who, { repo: REPO, number, verdict: 'approve' })
const status = (
  number: number,
  context: string,
  state: 'success' | 'pending' | 'failure',
  as: typeof mel | AgentCaller = mel,
) =>
  world.call(setCommitStatus, as, { repo: REPO, sha: pull(number).head_sha ?? '', state, context })
/** The words of the blockers, without those about the base: merges of earlier cases move it. */
const codes = (blockers: readonly { code: string }[]) =>
  blockers.map(({ code }) => code).filter((code) => code !== 'base_moved')
await forge.configure({ require_up_to_date: false })
let file = 0
/** A pull request that changes a file of its own. */
const fresh = (files: Record<string, string> = {}, as: typeof otto | AgentCaller = otto) =>
  ready(as, { [`own/${++file}.txt`]: 'x\n', ...files })

type Case = {
  rule: RuleInput
  /** What it is merged with in the test, and what is then wrong. */
  make: () => Promise<number>
  code?: string
  says: string
  /** Takes away what is in the way; null when nothing can. */
  fix: ((number: number) => Promise<unknown>) | null
}

const weekday = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(start).getUTCDay()]

const CASES: Case[] = [
  {
    rule: of('merge_window', { windows: [{ days: [weekday], start: '00:00', end: '00:01' }] }),
    make: fresh,
    code: 'merge_window',
    says: 'outside of its window; it opens at',
    fix: async () =>
      world.clock.advance(7 * DAY - (world.clock.now() % DAY) + 1000 - (world.clock.now() - start)),
  },
  {
    rule: of('merge_window', {
      freezes: [{ start: '2000-01-01', end: '2999-01-01', reason: 'Holidays' }],
      exceptions: ['hotfix'],
    }),
    make: fresh,
    code: 'merge_window',
    says: 'is frozen (Holidays)',
    fix: (number) => world.call(updatePull, ada, { repo: REPO, number, labels: ['hotfix'] }),
  },
  {
    rule: of('pull_request', { required_approvals: 2 }),
    make: fresh,
    code: 'approvals_missing',
    says: 'needs 2 approvals',
    fix: async (number) => [await approve(mel, number), await approve(max, number)],
  },
  {
    rule: of('pull_request', { require_last_push_approval: true }),
    make: async () => {
      const number = await fresh()
      await world.commit(forge.fork(number), 'main', { 'later.txt': `${number}` }, { as: otto })
      return number
    },
    says: 'somebody else than who pushed',
    fix: (number) => approve(mel, number),
  },
  {
    rule: of('pull_request', { require_conversation_resolution: true }),
    code: 'conversations_open',
    says: '1 conversation',
    make: async () => {
      const number = await ready(otto, { 'a.txt': `${++file}\n` })
      await world.call(addComment, mel, {
        repo: REPO,
        number,
        body: 'Why?',
        path: 'a.txt',
        line: 1,
      })
      return number
    },
    fix: async (number) => {
      const { comments } = await world.call(getPull, mel, { repo: REPO, number })
      await world.call(resolveComment, mel, { repo: REPO, id: comments[0]?.id ?? '' })
    },
  },
  {
    rule: of('human_approval', { count: 1, paths: ['infra/**'], from: ['acme/security'] }),
    make: () => fresh({ 'infra/a.tf': `${file}` }),
    says: 'it needs 1 approval by people of acme/security and has 0, because it changes "infra/a.tf"',
    fix: async (number) => {
      await approve(mel, number)
      expect(codes(await blockersOf(number))).toEqual(['rule'])
      await approve(max, number)
    },
  },
  {
    rule: of('required_checks', { contexts: ['ci/build', 'ci/lint'] }),
    make: fresh,
    code: 'statuses',
    says: 'ci/build is missing, ci/lint is missing',
    fix: async (number) => {
      await status(number, 'ci/build', 'success')
      await status(number, 'ci/lint', 'pending')
      expect((await blockersOf(number))[0]?.message).toBe('required checks: ci/lint is pending')
      await status(number, 'ci/lint', 'success')
    },
  },
  {
    rule: of('acceptance_checks'),
    make: fresh,
    says: 'its acceptance checks must pass; it has none',
    fix: null,
  },
  {
    rule: of('session_required', { min_entries: 2, kinds: ['plan', 'message'] }),
    make: () => fresh({}, bot),
    says: '2 entries of the kinds plan, message; it has 0',
    fix: (number) =>
      world.call(appendSession, bot, {
        repo: REPO,
        number,
        entries: [
          { kind: 'plan', text: 'a' },
          { kind: 'message', text: 'b' },
          { kind: 'thought', text: 'c' },
        ],
      }),
  },
  {
    rule: of('change_size', { max_files: 2 }),
    make: () => fresh({ 'x/1': `${file}`, 'x/2': `${file}` }),
    says: 'it changes 3 files; 2 are allowed',
    fix: (number) => world.commit(forge.fork(number), 'main', { 'x/2': null }, { as: otto }),
  },
  {
    rule: of('change_size', { max_lines: 10, exclude: ['gen/'] }),
    make: () => fresh({ 'long.txt': `${file}\n`.repeat(20), 'gen/a': `${file}\n`.repeat(500) }),
    says: 'lines; 10 are allowed',
    fix: (number) => world.commit(forge.fork(number), 'main', { 'long.txt': null }, { as: otto }),
  },
  {
    rule: of('path_restriction', { paths: ['keep/**'] }),
    make: () => fresh({ 'keep/me': `${file}` }),
    says: 'it changes "keep/me"',
    fix: (number) => world.commit(forge.fork(number), 'main', { 'keep/me': null }, { as: otto }),
  },
  {
    rule: of('file_size', { max_bytes: 100 }),
    make: () => fresh({ 'big.txt': 'x'.repeat(101) + file }),
    says: 'holds "big.txt" with',
    fix: null,
  },
  {
    rule: of('file_extension', { extensions: ['exe'] }),
    make: () => fresh({ 'a.exe': `${file}` }),
    says: 'holds "a.exe"',
    fix: null,
  },
  {
    rule: of('commit_message', { pattern: '^never' }),
    make: fresh,
    says: 'does not match "^never"',
    fix: null,
  },
  {
    rule: of('commit_author_email', { pattern: 'otto@', negate: true }),
    make: fresh,
    says: 'otto@example.com',
    fix: null,
  },
  { rule: of('signed_commits'), make: fresh, says: 'is not signed', fix: null },
  { rule: of('update'), make: fresh, says: 'main may not be moved', fix: null },
  {
    rule: of('cost_cap', { max_usd: 1 }),
    make: async () => {
      const number = await fresh({}, bot)
      await world.call(appendSession, bot, {
        repo: REPO,
        number,
        entries: [{ kind: 'usage', text: 'm', data: { cost_usd: 3 } }],
      })
      return number
    },
    says: 'has cost $3.00; $1.00 are allowed',
    fix: null,
  },
]

const conditions = { ref_name: { include: ['~DEFAULT_BRANCH'] } }

describe('merging', async () => {
  await world.call(createLabel, ada, { repo: REPO, name: 'hotfix', color: '#ff0000' })
  for (const one of CASES) {
    test(`${one.rule.type} ${JSON.stringify(one.rule.parameters)}`.slice(0, 100), async () => {
      const code = one.code ?? 'rule'
      const made = await rule([one.rule], { conditions })
      world.clock.at = start
      try {
        await hold(one, code, made)
      } finally {
        await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
      }
    })
  }

  async function hold(one: Case, code: string, made: Awaited<ReturnType<typeof rule>>) {
    const number = await one.make()
    const shown = await blockersOf(number)
    expect(codes(shown)).toEqual([code])
    expect(shown[0]?.message).toContain(one.says)
    if (code === 'rule')
      expect(shown[0]?.details).toMatchObject({
        ruleset: made.id,
        type: one.rule.type,
        message: shown[0]?.message,
        url: made.html_url,
      })
    // What is shown is what merging refuses with.
    const refused = await refusal(world.call(mergePull, mel, { repo: REPO, number }))
    expect([refused.code, refused.reason, refused.details.blockers]).toEqual([
      'conflict',
      code,
      shown,
    ])
    expect(
      (await world.call(listPulls, mel, { repo: REPO })).items.find(
        (item) => item.number === number,
      )?.blockers,
    ).toEqual(shown)
    const failed = (await forge.evaluations({ ruleset: made.id, result: 'fail' })).filter(
      ({ pull }) => pull === number,
    )
    expect(failed).toMatchObject([
      {
        rule: one.rule.type,
        ref: 'refs/heads/main',
        sha: pull(number).head_sha,
        actor: { username: 'mel' },
        enforced: true,
      },
    ])

    if (one.fix) {
      await one.fix(number)
      await world.jobs()
      expect(codes(await blockersOf(number))).toEqual([])
      expect((await world.call(mergePull, mel, { repo: REPO, number })).status).toBe('merged')
      expect(
        (await forge.evaluations({ ruleset: made.id })).find(
          ({ pull, result }) => pull === number && result !== 'fail',
        ),
      ).toMatchObject({ result: 'pass', message: null, sha: forge.head() })
      world.clock.at = Math.max(world.clock.at, start)
    }

    // Only looked at, it holds nobody up and says what it would have said.
    world.clock.at = start + HOUR
    const looked = one.fix ? await one.make() : number
    await world.call(updateRuleset, ada, {
      repo: REPO,
      id: made.id,
      enforcement: 'evaluate',
      bypass_actors: [{ kind: 'user', value: 'max', mode: 'pull_request' }],
    })
    expect(codes(await blockersOf(looked))).toEqual([])
    expect((await world.call(mergePull, mel, { repo: REPO, number: looked })).status).toBe('merged')
    expect(
      (await forge.evaluations({ ruleset: made.id, result: 'fail' })).filter(
        ({ enforced }) => !enforced,
      ),
    ).toMatchObject([{ pull: looked, rule: one.rule.type, message: expect.any(String) }])

    // Whoever may pass it by merges does, and nobody else.
    const passed = await one.make()
    await world.call(updateRuleset, ada, { repo: REPO, id: made.id, enforcement: 'active' })
    expect((await refusal(world.call(mergePull, mel, { repo: REPO, number: passed }))).reason).toBe(
      code,
    )
    expect((await world.call(mergePull, max, { repo: REPO, number: passed })).status).toBe('merged')
    expect(await forge.evaluations({ ruleset: made.id, result: 'bypass' })).toMatchObject([
      { pull: passed, actor: { username: 'max' }, enforced: true },
    ])
  }

  test('numbers of several rules: the strictest holds, and settings are never loosened', async () => {
    await forge.configure({ required_approvals: 1, merge_methods: ['merge', 'squash'] })
    const made = [
      await rule(
        [of('pull_request', { required_approvals: 0, allowed_methods: ['squash', 'rebase'] })],
        { conditions },
      ),
      await rule([of('pull_request', { required_approvals: 3 })], { conditions }),
    ]
    const number = await fresh()
    expect((await world.call(getPull, mel, { repo: REPO, number })).pull.approvals).toEqual({
      required: 3,
      counted: 0,
    })
    await world.call(deleteRuleset, ada, { repo: REPO, id: made[1]?.id ?? '' })
    expect((await world.call(getPull, mel, { repo: REPO, number })).pull.approvals).toEqual({
      required: 1,
      counted: 0,
    })
    await approve(mel, number)
    expect(
      (await refusal(world.call(mergePull, mel, { repo: REPO, number, method: 'merge' }))).message,
    ).toContain('it allows squash')
    expect((await world.call(mergePull, mel, { repo: REPO, number })).merge_method).toBe('squash')
    await world.call(deleteRuleset, ada, { repo: REPO, id: made[0]?.id ?? '' })
    await forge.configure({ required_approvals: 0, merge_methods: ['merge', 'squash', 'rebase'] })
  })

  test('a linear history takes no merge commit, and says so when nothing else is left', async () => {
    const made = [await rule([of('linear_history')], { conditions })]
    const number = await fresh()
    expect((await world.call(mergePull, mel, { repo: REPO, number })).merge_method).toBe('squash')
    made.push(await rule([of('pull_request', { allowed_methods: ['merge'] })], { conditions }))
    const other = await fresh()
    expect((await blockersOf(other)).map(({ code, message }) => [code, message])).toEqual([
      ['rule', expect.stringContaining('no other method of merging')],
      ['rule', expect.stringContaining('leave no method')],
    ])
    expect((await refusal(world.call(mergePull, mel, { repo: REPO, number: other }))).reason).toBe(
      'rule',
    )
    for (const { id } of made) await world.call(deleteRuleset, ada, { repo: REPO, id })
  })

  test('strict checks want the newest base', async () => {
    const made = await rule([of('required_checks', { contexts: ['ci'], strict: true })], {
      conditions,
    })
    const number = await fresh()
    await status(number, 'ci', 'success')
    expect((await blockersOf(number)).map(({ code }) => code)).toEqual([])
    await world.commit(REPO, 'main', { 'moved.txt': `${file}` })
    await world.jobs()
    expect((await blockersOf(number)).map(({ code }) => code)).toEqual(['base_moved'])
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('what agents say of a commit counts for no rule, and takes nothing back', async () => {
    const made = await rule([of('required_checks', { contexts: ['ci'] })], { conditions })
    const number = await fresh({}, bot)
    const writing = await forge.agent(mel, 'writer')
    await status(number, 'ci', 'success', writing)
    expect((await blockersOf(number))[0]?.message).toBe('required checks: ci is missing')
    expect((await world.call(getPull, mel, { repo: REPO, number })).pull.statuses_state).toBe(
      'success',
    )
    await status(number, 'ci', 'success')
    await status(number, 'ci', 'failure', writing)
    expect(await blockersOf(number)).toEqual([])
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('rules for agents hold for their pull requests and their merges, never through what their person may pass', async () => {
    const made = await rule(
      [
        of('human_approval', { count: 1 }, 'agents'),
        of('pull_request', { required_approvals: 1 }, 'agents'),
      ],
      {
        conditions,
        bypass_actors: [
          { kind: 'user', value: 'mel' },
          { kind: 'role', value: 'admin' },
        ],
      },
    )
    const mels = await forge.agent(mel, 'merger')
    const byPerson = await fresh()
    expect(await blockersOf(byPerson)).toEqual([])
    const byAgent = await fresh({}, bot)
    expect(codes(await blockersOf(byAgent))).toEqual(['approvals_missing', 'rule'])
    expect(
      (await refusal(world.call(mergePull, mels, { repo: REPO, number: byAgent }))).reason,
    ).toBe('approvals_missing')
    // An agent is held to them even with somebody else's pull request.
    expect(
      (await refusal(world.call(mergePull, mels, { repo: REPO, number: byPerson }))).reason,
    ).toBe('approvals_missing')
    expect((await world.call(mergePull, max, { repo: REPO, number: byPerson })).status).toBe(
      'merged',
    )
    expect((await world.call(mergePull, mel, { repo: REPO, number: byAgent })).status).toBe(
      'merged',
    )
    const named = (
      await world.call(createPull, otto, {
        repo: REPO,
        title: 'By hand, by an agent',
        agent: 'claude',
      })
    ).pull.number
    expect(codes(await blockersOf(named))).toContain('rule')
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('a team is let through a freeze', async () => {
    const made = await rule(
      [
        of('merge_window', {
          freezes: [{ start: '2000-01-01', end: '2999-01-01' }],
          exceptions: ['acme/security'],
        }),
      ],
      { conditions },
    )
    expect(made.rules[0]?.parameters).toMatchObject({
      exceptions: ['acme/security'],
      time_zone: '+00:00',
      windows: [],
    })
    const number = await fresh()
    expect(
      (await refusal(world.call(mergePull, mel, { repo: REPO, number }))).details.opens_at,
    ).toBe('2999-01-02T00:00:00.000Z')
    expect((await world.call(mergePull, max, { repo: REPO, number })).status).toBe('merged')
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('a branch that may not be deleted outlives its merge', async () => {
    const made = await rule([of('deletion')], { conditions: { ref_name: { include: ['keep-*'] } } })
    const number = await forge.fromBranch(mel, 'keep-me', { 'kept.txt': 'x' })
    expect((await world.call(mergePull, mel, { repo: REPO, number })).status).toBe('merged')
    expect(forge.head('keep-me')).not.toBeNull()
    const other = await forge.fromBranch(mel, 'drop-me', { 'dropped.txt': 'x' })
    await world.call(mergePull, mel, { repo: REPO, number: other })
    expect(forge.head('drop-me')).toBeNull()
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('what is pushed or ruled after a look is looked at again; a rule stands while it is not', async () => {
    const number = await fresh({ 'w/a': 'x' })
    expect(await blockersOf(number)).toEqual([])
    const made = await rule([of('path_restriction', { paths: ['w'] })], { conditions })
    // Nobody has looked since: a list asks git nothing.
    const listed = async () =>
      (await world.call(listPulls, mel, { repo: REPO })).items
        .find((item) => item.number === number)
        ?.blockers.map(({ message }) => message)
    expect(await listed()).toEqual(['its commits are still being looked through'])
    await world.jobs()
    expect(await listed()).toEqual([expect.stringContaining('"w/a"')])
    await world.call(updateRuleset, ada, {
      repo: REPO,
      id: made.id,
      rules: [of('path_restriction', { paths: ['v'] })],
    })
    expect(await blockersOf(number)).toEqual([])
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })
})

describe('opening', () => {
  test('no more than so many, of one author or of one person with their agents', async () => {
    const other = await forge.agent(otto, 'second')
    const opened = async (as: typeof otto | AgentCaller) => {
      try {
        return (await world.call(createPull, as, { repo: REPO, title: 'One more' })).pull.status
      } catch (error) {
        return (error as { reason?: string }).reason
      }
    }
    const { closePull } = await import('#features/pulls/lifecycle/close-pull.ts')
    for (const { number } of (await world.call(listPulls, ada, { repo: REPO, per_page: 100 }))
      .items)
      await world.call(closePull, ada, { repo: REPO, number })
    const made = await rule([of('max_open_pulls', { count: 1 })], { conditions })
    expect([
      await opened(bot),
      await opened(bot),
      await opened(other),
      await opened(otto),
      await opened(otto),
    ]).toEqual(['draft', 'limit_reached', 'draft', 'draft', 'limit_reached'])
    await world.call(updateRuleset, ada, {
      repo: REPO,
      id: made.id,
      rules: [of('max_open_pulls', { count: 3, per: 'owner' })],
    })
    expect([await opened(other), await opened(mel)]).toEqual(['limit_reached', 'draft'])
    await world.call(updateRuleset, ada, { repo: REPO, id: made.id, enforcement: 'evaluate' })
    expect(await opened(other)).toBe('draft')
    expect((await forge.evaluations({ ruleset: made.id, result: 'fail' }))[0]).toMatchObject({
      rule: 'max_open_pulls',
      enforced: false,
    })
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('agents that cost too much today open nothing more until tomorrow', async () => {
    const made = await forge.ruleAll([of('cost_cap', { max_usd: 10, per: 'day' })], { conditions })
    // What agents of strangers report is not believed.
    const spender = await forge.agent(mel, 'spender')
    const numbers: number[] = []
    for (const agent of [bot, spender]) {
      const { pull } = await world.call(createPull, agent, { repo: REPO, title: 'Expensive' })
      await world.call(appendSession, agent, {
        repo: REPO,
        number: pull.number,
        entries: [{ kind: 'usage', text: 'm', data: { cost_usd: 10 } }],
      })
      numbers.push(pull.number)
    }
    const refused = await refusal(world.call(createPull, bot, { repo: REPO, title: 'More' }))
    expect([refused.reason, refused.message]).toEqual([
      'rule',
      expect.stringMatching(
        /^rule cost_cap: agents have cost \$1\d\.\d\d today; \$10\.00 are allowed$/,
      ),
    ])
    expect((await world.call(createPull, otto, { repo: REPO, title: 'By hand' })).pull.status).toBe(
      'draft',
    )
    const next = await forge.loose(forge.head(), { 'y.txt': 'y' })
    expect(
      (await forge.pushes(bot, [['refs/heads/main', next]], forge.fork(numbers[0] ?? 0)))[0]
        ?.refused,
    ).toContain('rule cost_cap')
    world.clock.advance(DAY)
    expect((await world.call(createPull, bot, { repo: REPO, title: 'Tomorrow' })).pull.status).toBe(
      'draft',
    )
    await world.call(deleteRuleset, ada, { workspace: 'acme', id: made.id })
  })
})
