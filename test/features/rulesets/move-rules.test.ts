import { describe, expect, test } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { createBranch } from '#features/repos/branches/create-branch.ts'
import { createCommit } from '#features/repos/commits/create-commit.ts'
import { createTag } from '#features/repos/tags/create-tag.ts'
import { deleteBranch } from '#features/repos/branches/delete-branch.ts'
import { deleteTag } from '#features/repos/tags/delete-tag.ts'
import { evaluateMoves, moveRefs, prepareUpdates, refsOf } from '#features/repos/index.ts'
import { renameBranch } from '#features/repos/branches/rename-branch.ts'
import { deleteRuleset } from '#features/rulesets/delete-ruleset.ts'
import { updateRuleset } from '#features/rulesets/update-ruleset.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { createWorkspaceToken } from '#features/workspaces/create-workspace-token.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeRuleWorld, of, type RuleInput } from './fixture.ts'

const forge = await makeRuleWorld()
const { world, ada, mel, pushes, loose, rule, refOf, head } = forge

const main = head() ?? ''
const next = await loose(main, { 'n.txt': 'n' }, { message: 'feat: next' })
const other = await loose(null, { 'o.txt': 'o' }, { message: 'feat: other' })
const merge = await (async () => {
  const side = await loose(main, { 's.txt': 's' })
  const author = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
  const landing = await forge.hearth.git.merge(forge.row().store, {
    method: 'merge',
    base: next,
    head: side,
    message: 'Merge',
    author,
    committer: author,
  })
  if ('conflicts' in landing) throw new Error('conflicts')
  return landing.commit
})()
const annotated = await forge.hearth.git.createTag(forge.row().store, {
  object: main,
  name: 'v1',
  message: 'One\n',
  tagger: { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' },
})

/** Brings the refs to what every case begins with, past all rules. */
async function reset() {
  const names = new Set([
    ...refsOf(forge.hearth, forge.row().id).refs.map(({ name }) => name),
    'refs/heads/main',
    'refs/heads/topic',
    'refs/tags/v1',
  ])
  const wanted = new Map([
    ['refs/heads/main', main],
    ['refs/heads/topic', main],
    ['refs/tags/v1', annotated],
  ])
  const updates = [...names]
    .map((name) => ({ name, old: refOf(name), new: wanted.get(name) ?? null }))
    .filter((update) => update.old !== update.new)
  const prepared = await prepareUpdates(forge.hearth, forge.row(), updates)
  await world.write((tx) => moveRefs(tx, forge.row(), prepared), ada)
}

type Case = {
  rule: RuleInput
  target?: 'branch' | 'tag' | 'push'
  /** Moves that are refused, each with a word of why. */
  refused: [ref: string, to: string | null, why: string][]
  allowed: [ref: string, to: string | null][]
}

const big = await loose(main, { 'big.bin': new Uint8Array(3000) })
const grown = await loose(await loose(main, { 'big.bin': new Uint8Array(3000) }), {
  'big.bin': null,
})
const exe = await loose(main, { 'Setup.EXE': 'x' })
const infra = await loose(main, { 'infra/prod/main.tf': 'x' })
const gone = await loose(main, { 'docs/guide.txt': null })
const docs = await loose(main, { 'docs/guide.txt': 'more\n' })
const badly = await loose(main, { 'n.txt': 'n' }, { message: 'wip' })
const stranger = await loose(main, { 'n.txt': 'n' }, { email: 'ada@evil.test' })
const behindBad = await loose(badly, { 'm.txt': 'm' }, { message: 'feat: on top of it' })

const CASES: Case[] = [
  {
    rule: of('creation'),
    refused: [['refs/heads/new', main, 'may not be made']],
    allowed: [
      ['refs/heads/main', next],
      ['refs/heads/topic', null],
      ['refs/tags/v2', main],
    ],
  },
  {
    rule: of('creation'),
    target: 'tag',
    refused: [['refs/tags/v2', main, 'may not be made']],
    allowed: [['refs/heads/new', main]],
  },
  {
    rule: of('creation'),
    target: 'push',
    refused: [
      ['refs/tags/v2', main, 'tag'],
      ['refs/heads/new', main, 'branch'],
      ['refs/notes/commits', main, 'ref'],
    ],
    allowed: [],
  },
  {
    rule: of('update'),
    refused: [['refs/heads/main', next, 'may not be moved']],
    allowed: [
      ['refs/heads/new', main],
      ['refs/heads/topic', null],
    ],
  },
  {
    rule: of('deletion'),
    refused: [['refs/heads/topic', null, 'may not be deleted']],
    allowed: [
      ['refs/heads/main', next],
      ['refs/tags/v1', null],
    ],
  },
  {
    rule: of('deletion'),
    target: 'tag',
    refused: [['refs/tags/v1', null, 'may not be deleted']],
    allowed: [['refs/heads/topic', null]],
  },
  {
    rule: of('non_fast_forward'),
    refused: [['refs/heads/topic', other, 'lose commits']],
    allowed: [
      ['refs/heads/topic', next],
      ['refs/heads/new', other],
      ['refs/tags/v1', next],
    ],
  },
  {
    rule: of('non_fast_forward'),
    target: 'tag',
    refused: [['refs/tags/v1', next, 'may not be moved']],
    allowed: [['refs/tags/v2', next]],
  },
  {
    rule: of('linear_history'),
    refused: [
      ['refs/heads/topic', merge, 'is a merge'],
      ['refs/heads/new', merge, 'is a merge'],
    ],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('signed_commits'),
    refused: [['refs/heads/topic', next, 'is not signed']],
    allowed: [['refs/heads/new', main]],
  },
  {
    rule: of('commit_message', { pattern: '^(feat|fix): ' }),
    refused: [
      ['refs/heads/topic', badly, '"wip"'],
      ['refs/heads/topic', behindBad, '"wip"'],
    ],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('commit_message', { pattern: '(?i)wip', negate: true, message: 'finish it first' }),
    refused: [['refs/heads/topic', behindBad, 'finish it first']],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('commit_author_email', { pattern: '@example\\.com$' }),
    refused: [['refs/heads/topic', stranger, '"ada@evil.test"']],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('branch_name', { pattern: '^(main|topic|feature/[a-z]+)$' }),
    refused: [['refs/heads/Feature/x', main, 'does not match']],
    allowed: [
      ['refs/heads/feature/x', main],
      ['refs/heads/topic', next],
    ],
  },
  {
    rule: of('tag_name', { pattern: '^v[0-9]+$' }),
    target: 'tag',
    refused: [['refs/tags/release', main, 'does not match']],
    allowed: [['refs/tags/v2', main]],
  },
  {
    rule: of('file_size', { max_bytes: 2048 }),
    refused: [
      ['refs/heads/topic', big, '2.9 KiB'],
      ['refs/heads/topic', grown, 'big.bin'],
    ],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('file_size', { max_bytes: 2048 }),
    target: 'push',
    refused: [['refs/tags/big', big, 'big.bin']],
    allowed: [['refs/tags/v2', main]],
  },
  {
    rule: of('file_extension', { extensions: ['.exe', 'jar'] }),
    refused: [['refs/heads/topic', exe, 'Setup.EXE']],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('path_restriction', { paths: ['infra/**', 'docs/guide.txt'] }),
    refused: [
      ['refs/heads/topic', infra, 'infra/prod/main.tf'],
      ['refs/heads/topic', gone, 'docs/guide.txt'],
    ],
    allowed: [['refs/heads/topic', next]],
  },
  {
    rule: of('path_restriction', { paths: ['docs'], mode: 'allow' }),
    refused: [['refs/heads/topic', next, 'outside of what']],
    allowed: [['refs/heads/topic', docs]],
  },
  {
    rule: of('pull_request'),
    refused: [['refs/heads/main', next, 'through pull requests only']],
    allowed: [
      ['refs/heads/new', next],
      ['refs/heads/topic', null],
      ['refs/tags/v2', next],
    ],
  },
  {
    rule: of('merge_queue'),
    refused: [['refs/heads/main', next, 'merge queue only']],
    allowed: [['refs/heads/new', next]],
  },
  // What these are about is merging.
  ...(
    [
      ['merge_window', { windows: [{ days: ['mon'], start: '00:00', end: '00:01' }] }],
      ['cost_cap', { max_usd: 1 }],
      ['human_approval', {}],
      ['required_checks', { contexts: ['ci'] }],
      ['acceptance_checks', {}],
      ['session_required', {}],
      ['security_alerts', {}],
      ['change_size', { max_files: 1 }],
      ['max_open_pulls', { count: 1 }],
    ] as const
  ).map(
    ([type, parameters]): Case => ({
      rule: of(type, parameters),
      refused: [],
      allowed: [['refs/heads/main', next]],
    }),
  ),
]

const nameOf = ({ rule: { type, parameters }, target = 'branch' }: Case) =>
  `${type} ${target} ${JSON.stringify(parameters)}`.slice(0, 90)

describe('pushes', () => {
  for (const one of CASES) {
    test(nameOf(one), async () => {
      const made = await rule([one.rule], { target: one.target ?? 'branch' })
      for (const [ref, to, why] of one.refused) {
        await reset()
        const before = refOf(ref)
        const [result] = await pushes(ref.startsWith('refs/tags/') && to === null ? ada : mel, [
          [ref, to],
        ])
        expect([ref, result?.refused]).toEqual([
          ref,
          expect.stringContaining(`rule ${one.rule.type}: `),
        ])
        expect(result?.refused).toContain(why)
        expect(result?.lines).toHaveLength(1)
        expect(result?.lines[0]).toEndWith(`; ${made.html_url}`)
        expect(refOf(ref)).toBe(before)
      }
      for (const [ref, to] of one.allowed) {
        await reset()
        const [result] = await pushes(ref.startsWith('refs/tags/') && to === null ? ada : mel, [
          [ref, to],
        ])
        expect([ref, result?.refused]).toEqual([ref, null])
        expect(refOf(ref)).toBe(to)
      }

      // The same ruleset only looked at: everything goes through, and is noted.
      await world.call(updateRuleset, ada, { repo: REPO, id: made.id, enforcement: 'evaluate' })
      for (const [ref, to] of one.refused) {
        await reset()
        const [result] = await pushes(ada, [[ref, to]])
        expect([ref, result?.refused]).toEqual([ref, null])
        expect(refOf(ref)).toBe(to)
      }
      const noted = await forge.evaluations({ ruleset: made.id })
      expect(noted.filter(({ enforced, result }) => enforced && result === 'fail')).toHaveLength(
        one.refused.length,
      )
      expect(noted.filter(({ enforced, result }) => !enforced && result === 'fail')).toHaveLength(
        one.refused.length,
      )
      for (const { result, message, rule: type } of noted)
        expect([type, result === 'pass' ? message : typeof message]).toEqual([
          one.rule.type,
          result === 'pass' ? null : 'string',
        ])

      await world.call(updateRuleset, ada, { repo: REPO, id: made.id, enforcement: 'disabled' })
      for (const [ref, to] of one.refused) {
        await reset()
        expect((await pushes(ada, [[ref, to]]))[0]?.refused).toBeNull()
      }
      expect(await forge.evaluations({ ruleset: made.id })).toHaveLength(noted.length)
      await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
    })
  }

  test('rules of several rulesets add up, and each has its line', async () => {
    await reset()
    const one = await rule([of('non_fast_forward'), of('commit_message', { pattern: '^nothing' })])
    const two = await forge.ruleAll([
      of('linear_history'),
      of('file_extension', { extensions: ['txt'] }),
    ])
    const [result, fine] = await pushes(mel, [
      ['refs/heads/topic', other],
      ['refs/tags/fine', main],
    ])
    expect(result?.lines.map((line) => line.slice(0, line.indexOf(':', 8)))).toEqual([
      'topic: rule file_extension',
      'topic: rule non_fast_forward',
      'topic: rule commit_message',
    ])
    expect(result?.lines.map((line) => line.slice(line.lastIndexOf(' ') + 1))).toEqual([
      two.html_url,
      one.html_url,
      one.html_url,
    ])
    expect(fine?.refused).toBeNull()
    for (const { id } of [one]) await world.call(deleteRuleset, ada, { repo: REPO, id })
    await world.call(deleteRuleset, ada, { workspace: 'acme', id: two.id })
  })

  test('what another branch already had is looked at again where it comes to a branch with rules', async () => {
    await reset()
    await pushes(mel, [['refs/heads/side', badly]])
    const made = await rule([of('commit_message', { pattern: '^feat' })], {
      conditions: { ref_name: { include: ['main'] } },
    })
    expect((await pushes(mel, [['refs/heads/main', behindBad]]))[0]?.refused).toContain('"wip"')
    // Moving both at once hides nothing.
    expect(
      (
        await pushes(mel, [
          ['refs/heads/side', behindBad],
          ['refs/heads/main', behindBad],
        ])
      ).map(({ refused }) => refused === null),
    ).toEqual([true, false])
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })

  test('merging the default branch in brings nothing of one’s own', async () => {
    await reset()
    const made = await rule([of('path_restriction', { paths: ['infra'] })], {
      bypass_actors: [{ kind: 'user', value: 'ada' }],
    })
    expect((await pushes(ada, [['refs/heads/main', infra]]))[0]?.refused).toBeNull()
    const author = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000, zone: '+0000' }
    await pushes(mel, [['refs/heads/topic', next]])
    const landing = await forge.hearth.git.merge(forge.row().store, {
      method: 'merge',
      base: next,
      head: infra,
      message: 'Merge main',
      author,
      committer: author,
    })
    if ('conflicts' in landing) throw new Error('conflicts')
    expect((await pushes(mel, [['refs/heads/topic', landing.commit]]))[0]?.refused).toBeNull()
    // A merge that changes what neither side changed does.
    const evil = await loose(landing.commit, { 'infra/prod/main.tf': 'y' })
    expect((await pushes(mel, [['refs/heads/topic', evil]]))[0]?.refused).toContain(
      'infra/prod/main.tf',
    )
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })
})

describe('other ways to move refs obey the same rules', () => {
  const reasonOf = async (promise: Promise<unknown>) => {
    const { code, reason, details } = await refusal(promise)
    return [code, reason, details.type]
  }
  test('each is refused with 409 rule, and nothing moves', async () => {
    await reset()
    const made = [
      await rule(
        [
          of('creation'),
          of('deletion'),
          of('branch_name', { pattern: '^ok' }),
          of('commit_message', { pattern: '^feat' }),
        ],
        { conditions: { ref_name: { include: ['**'], exclude: ['main'] } } },
      ),
      await rule([of('creation'), of('deletion')], { target: 'tag' }),
      await rule([of('pull_request')], {
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
      }),
    ]
    const before = world.events().length
    expect(
      await reasonOf(world.call(createBranch, mel, { repo: REPO, branch: 'new', from: 'main' })),
    ).toEqual(['conflict', 'rule', 'creation'])
    expect(await reasonOf(world.call(deleteBranch, mel, { repo: REPO, branch: 'topic' }))).toEqual([
      'conflict',
      'rule',
      'deletion',
    ])
    expect(
      await reasonOf(
        world.call(renameBranch, mel, { repo: REPO, branch: 'topic', new_name: 'other' }),
      ),
    ).toEqual(['conflict', 'rule', 'deletion'])
    expect(
      await reasonOf(world.call(createTag, mel, { repo: REPO, tag: 'v9', target: 'main' })),
    ).toEqual(['conflict', 'rule', 'creation'])
    expect(await reasonOf(world.call(deleteTag, ada, { repo: REPO, tag: 'v1' }))).toEqual([
      'conflict',
      'rule',
      'deletion',
    ])
    const commit = (branch: string, message: string) =>
      world.call(createCommit, mel, {
        repo: REPO,
        branch,
        message,
        files: [{ path: 'x', action: 'put', content: 'x' }],
      })
    expect(await reasonOf(commit('main', 'feat: x'))).toEqual(['conflict', 'rule', 'pull_request'])
    expect(await reasonOf(commit('topic', 'x'))).toEqual(['conflict', 'rule', 'commit_message'])
    expect(world.events().length).toBe(before)
    expect([refOf('refs/heads/topic'), refOf('refs/heads/main'), refOf('refs/tags/v1')]).toEqual([
      main,
      main,
      annotated,
    ])
    const first = await refusal(
      world.call(renameBranch, mel, { repo: REPO, branch: 'topic', new_name: 'other' }),
    )
    expect(first.details.rules).toMatchObject([
      { type: 'deletion', ref: 'refs/heads/topic' },
      { type: 'creation', ref: 'refs/heads/other' },
      { type: 'branch_name' },
    ])
    expect(first.details).toMatchObject({
      ruleset: made[0]?.id,
      url: made[0]?.html_url,
      message: expect.any(String),
    })
    expect((await commit('topic', 'feat: x')).message).toBe('feat: x\n')
    for (const { id } of made) await world.call(deleteRuleset, ada, { repo: REPO, id })
  })
})

describe('forks of pull requests', () => {
  test('obey rules about pushes, and not those about the repository’s branches', async () => {
    await reset()
    const number = await forge.draft(forge.otto, null)
    const made = [
      await rule([of('update'), of('pull_request'), of('non_fast_forward')]),
      await rule([of('file_extension', { extensions: ['exe'] })], { target: 'push' }),
    ]
    expect(
      (await pushes(forge.otto, [['refs/heads/main', next]], forge.fork(number)))[0]?.refused,
    ).toBeNull()
    const bad = await loose(next, { 'a.exe': 'x' })
    expect(
      (await pushes(forge.otto, [['refs/heads/main', bad]], forge.fork(number)))[0]?.refused,
    ).toContain('rule file_extension')
    expect(refOf('refs/heads/main', forge.fork(number))).toBe(next)
    for (const { id } of made) await world.call(deleteRuleset, ada, { repo: REPO, id })
  })

  test('an agent over its cap pushes no more; people do', async () => {
    await reset()
    const bot = await forge.agent(mel, 'spender')
    const number = await forge.draft(bot, null)
    const made = await rule([of('cost_cap', { max_usd: 2 })], {
      conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    })
    const spend = (cost_usd: number) =>
      world.call(appendSession, bot, {
        repo: REPO,
        number,
        entries: [{ kind: 'usage', text: 'Model', data: { cost_usd } }],
      })
    await spend(1.5)
    expect(
      (await pushes(bot, [['refs/heads/main', next]], forge.fork(number)))[0]?.refused,
    ).toBeNull()
    await spend(1)
    const further = await loose(next, { 'z.txt': 'z' })
    expect(
      (await pushes(bot, [['refs/heads/main', further]], forge.fork(number)))[0]?.refused,
    ).toContain('$2.50; $2.00 are allowed')
    expect(
      (await pushes(mel, [['refs/heads/main', further]], forge.fork(number)))[0]?.refused,
    ).toBeNull()
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })
})

describe('who may pass', async () => {
  const { id: tokenId } = await world.call(createWorkspaceToken, ada, {
    workspace: 'acme',
    name: 'ci',
    scopes: ['code:write'],
    repos: [REPO],
    role: 'write',
  })
  const acme = workspaceById(forge.hearth.db, forge.row().workspace_id)
  if (!acme) throw new Error('no workspace')
  const robot = workspaceCaller(acme, { id: tokenId, scopes: ['code:write'] })
  const otherRobot = workspaceCaller(acme, { scopes: ['code:write'] })
  await forge.teams(['keepers', 'mel'], ['juniors', 'max'])
  const bot = await forge.agent(mel, 'passer')
  const narrow = withToken(ada, { role: 'write' })

  const PASSES: [
    string,
    {
      kind: 'team' | 'user' | 'role' | 'workspace_token'
      value: string
      mode?: 'always' | 'pull_request'
    },
    Record<string, boolean>,
  ][] = [
    [
      'nobody',
      { kind: 'user', value: 'otto' },
      { ada: false, mel: false, max: false, bot: false, robot: false },
    ],
    [
      'a person',
      { kind: 'user', value: 'mel' },
      { ada: false, mel: true, max: false, bot: false, robot: false },
    ],
    [
      'a person, by merges only',
      { kind: 'user', value: 'mel', mode: 'pull_request' },
      { mel: false },
    ],
    [
      'a team with those below it',
      { kind: 'team', value: 'acme/keepers' },
      { mel: true, max: true, bot: false, robot: false },
    ],
    [
      'a role',
      { kind: 'role', value: 'admin' },
      { ada: true, narrow: false, mel: false, bot: false, robot: false },
    ],
    [
      'owners',
      { kind: 'role', value: 'owner' },
      { ada: true, narrow: false, mel: false, bot: false, robot: false },
    ],
    [
      'a token',
      { kind: 'workspace_token', value: tokenId },
      { ada: false, mel: false, robot: true, otherRobot: false, bot: false },
    ],
  ]
  const callers: Record<string, SignedIn> = {
    ada,
    narrow,
    mel,
    max: forge.max,
    bot,
    robot,
    otherRobot,
  }
  for (const [name, actor, expected] of PASSES) {
    test(name, async () => {
      const made = await rule([of('update')], { bypass_actors: [actor] })
      for (const [who, passes] of Object.entries(expected)) {
        await reset()
        const caller = callers[who]
        if (!caller) throw new Error(who)
        const [result] = await pushes(caller, [['refs/heads/topic', next]])
        expect([who, result?.refused ?? null]).toEqual([
          who,
          passes ? null : 'rule update: this branch may not be moved',
        ])
      }
      const noted = await forge.evaluations({ ruleset: made.id, result: 'bypass' })
      const audited = forge.hearth.db.all<{ data: string }>(
        `SELECT data FROM audit_log WHERE action = 'ruleset.bypassed' AND target_id = ?`,
        made.id,
      )
      expect(audited.map(({ data }) => JSON.parse(data))).toEqual(
        noted.map(() => ({
          rule: 'update',
          ref: 'refs/heads/topic',
          sha: next,
          pull: null,
          message: 'this branch may not be moved',
        })),
      )
      expect(noted.map(({ actor }) => actor?.username).sort()).toEqual(
        Object.entries(expected)
          .filter(([, passes]) => passes)
          .map(([who]) => callers[who]?.username ?? '')
          .sort(),
      )
      await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
    })
  }

  test('rules for agents leave people alone', async () => {
    const made = await rule([
      of('path_restriction', { paths: ['infra'] }, 'agents'),
      of('deletion', {}, 'agents'),
    ])
    await reset()
    expect((await pushes(bot, [['refs/heads/topic', infra]]))[0]?.refused).toContain('infra')
    expect((await pushes(bot, [['refs/heads/topic', null]]))[0]?.refused).toContain('deleted')
    expect((await pushes(robot, [['refs/heads/topic', infra]]))[0]?.refused).toBeNull()
    expect((await pushes(mel, [['refs/heads/topic', null]]))[0]?.refused).toBeNull()
    await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  })
})

test('rules that change while git is asked hold all the same', async () => {
  await reset()
  const updates = await prepareUpdates(forge.hearth, forge.row(), [
    { name: 'refs/heads/topic', old: main, new: badly },
  ])
  const guard = await evaluateMoves(forge.hearth, forge.row().id, mel, updates)
  expect(guard.violations).toEqual([])
  const made = await rule([of('commit_message', { pattern: '^feat' }), of('update')], {
    bypass_actors: [{ kind: 'user', value: 'ada' }],
  })
  const again = await world.write((tx) => guard.recheck(tx, updates), mel)
  expect(again.map(({ message }) => message)).toEqual([
    'rule commit_message: this rule was changed just now; push again',
    'rule update: this branch may not be moved',
  ])
  await world.call(deleteRuleset, ada, { repo: REPO, id: made.id })
  expect(await world.write((tx) => guard.recheck(tx, updates), mel)).toEqual([])
})
