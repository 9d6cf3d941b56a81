import { describe, expect, test } from 'bun:test'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { RULE_TYPES } from '#features/rulesets/schema.ts'
import { REPO } from '../pulls/fixture.ts'
import { refusal, withToken } from '../../world.ts'
import { makeRuleWorld, of } from './fixture.ts'

const forge = await makeRuleWorld()
const { world, ada, mel } = forge
await forge.teams(['core', 'mel'])

describe('a ruleset', () => {
  test('of a workspace has all that was said, with defaults for the rest', async () => {
    const made = await world.call(createRuleset, ada, {
      workspace: 'acme',
      name: '  Protect \n main ',
      rules: [{ type: 'cost_cap', parameters: { max_usd: 12.5 } }],
    })
    expect(made).toMatchObject({
      level: 'workspace',
      workspace: 'acme',
      name: 'Protect main',
      enforcement: 'active',
      target: 'branch',
      conditions: {
        ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] },
        repository: { include: ['~ALL'], exclude: [], visibility: 'any', topics: [] },
      },
      bypass_actors: [],
      rules: [
        { type: 'cost_cap', parameters: { max_usd: 12.5, per: 'pull' }, applies_to: 'everyone' },
      ],
      html_url: `https://hearth.test/acme/-/rulesets/${made.id}`,
      created_by: { username: 'ada' },
      updated_by: { username: 'ada' },
      created_at: made.updated_at,
    })
    expect(made.id).toStartWith('rs_')
    expect('repository' in made).toBe(false)
    expect(world.events('ruleset.changed').at(-1)).toMatchObject({
      repo_id: null,
      data: {
        ruleset: made.id,
        name: 'Protect main',
        level: 'workspace',
        action: 'created',
        enforcement: 'active',
      },
    })
  })

  test('of a repository names it, and chooses no repositories', async () => {
    const made = await world.call(createRuleset, ada, {
      repo: REPO,
      name: 'Tags',
      target: 'tag',
      enforcement: 'evaluate',
      rules: [of('deletion', {}, 'agents')],
      bypass_actors: [
        { kind: 'team', value: 'acme/core' },
        { kind: 'user', value: '@mel', mode: 'pull_request' },
        { kind: 'role', value: 'owner' },
      ],
    })
    expect(made).toMatchObject({
      level: 'repository',
      repository: REPO,
      conditions: { ref_name: { include: ['~ALL'] } },
      rules: [{ type: 'deletion', parameters: {}, applies_to: 'agents' }],
    })
    expect(made.conditions.repository).toBeUndefined()
    expect(made.bypass_actors).toEqual([
      { kind: 'team', value: 'acme/core', mode: 'always' },
      { kind: 'user', value: 'mel', mode: 'pull_request' },
      { kind: 'role', value: 'owner', mode: 'always' },
    ])
    expect(made.html_url).toBe(`https://hearth.test/${REPO}/settings/rulesets/${made.id}`)
    const [entry] = forge.hearth.db.all<{ action: string; data: string; target_name: string }>(
      `SELECT action, data, target_name FROM audit_log WHERE target_id = ?`,
      made.id,
    )
    expect([
      entry?.action,
      entry?.target_name,
      JSON.parse(entry?.data ?? '{}').after.rules,
    ]).toEqual(['ruleset.created', 'Tags', made.rules])
  })

  test('two of one place have different names; another place may have the same', async () => {
    const input = { name: 'Once', rules: [of('update')] }
    await world.call(createRuleset, ada, { repo: REPO, ...input, enforcement: 'disabled' })
    expect(
      (await refusal(world.call(createRuleset, ada, { repo: REPO, ...input, name: 'ONCE' })))
        .reason,
    ).toBe('already_exists')
    expect(
      (
        await world.call(createRuleset, ada, {
          workspace: 'acme',
          ...input,
          enforcement: 'disabled',
        })
      ).name,
    ).toBe('Once')
  })

  test('is for people who may', async () => {
    const input = { name: 'Mine', rules: [of('update')] }
    const bot = await forge.agent(ada, 'maker')
    expect((await refusal(world.call(createRuleset, mel, { repo: REPO, ...input }))).reason).toBe(
      'role',
    )
    expect(
      (await refusal(world.call(createRuleset, mel, { workspace: 'acme', ...input }))).reason,
    ).toBe('role')
    expect((await refusal(world.call(createRuleset, bot, { repo: REPO, ...input }))).reason).toBe(
      'person_required',
    )
    // Each level has its own scope.
    expect(
      (
        await refusal(
          world.call(createRuleset, withToken(ada, { scopes: ['repo:admin'] }), {
            workspace: 'acme',
            ...input,
          }),
        )
      ).details.scope,
    ).toBe('workspace:admin')
    expect(
      (
        await refusal(
          world.call(createRuleset, withToken(ada, { scopes: ['workspace:admin'] }), {
            repo: REPO,
            ...input,
          }),
        )
      ).details.scope,
    ).toBe('repo:admin')
    expect((await refusal(world.call(createRuleset, ada, { ...input }))).field).toBe('repo')
    const fork = await forge.draft(forge.otto, null)
    expect(
      (await refusal(world.call(createRuleset, forge.otto, { repo: forge.fork(fork), ...input })))
        .code,
    ).toMatch(/forbidden|not_found/)
  })
})

describe('every type', () => {
  const WHOLE: Record<
    (typeof RULE_TYPES)[number],
    [given: Record<string, unknown>, kept: Record<string, unknown>]
  > = {
    merge_window: [
      {
        windows: [{ days: ['fri', 'mon'], start: '22:00', end: '06:00' }],
        freezes: [{ start: '2026-12-24', end: '2026-12-26', reason: 'Holidays' }],
        exceptions: ['hotfix', 'acme/core'],
      },
      {
        time_zone: '+00:00',
        windows: [{ days: ['mon', 'fri'], start: '22:00', end: '06:00' }],
        freezes: [{ start: '2026-12-24', end: '2026-12-26', reason: 'Holidays' }],
        exceptions: ['hotfix', 'acme/core'],
      },
    ],
    cost_cap: [
      { max_usd: 5, per: 'month' },
      { max_usd: 5, per: 'month' },
    ],
    pull_request: [
      { required_approvals: 2 },
      {
        required_approvals: 2,
        dismiss_stale: false,
        require_code_owner: false,
        require_last_push_approval: false,
        allowed_methods: ['merge', 'squash', 'rebase'],
        require_conversation_resolution: false,
      },
    ],
    human_approval: [{ from: ['core'] }, { count: 1, paths: [], from: ['acme/core'] }],
    required_checks: [{ contexts: ['ci', 'ci'] }, { contexts: ['ci'], strict: false }],
    acceptance_checks: [{}, {}],
    session_required: [{}, { min_entries: 1, kinds: [] }],
    security_alerts: [
      { tools: ['semgrep', ' semgrep '] },
      { severity: 'high', kinds: ['code', 'dependency'], of: 'pull', tools: ['semgrep'] },
    ],
    change_size: [{ max_lines: 400 }, { max_files: null, max_lines: 400, exclude: [] }],
    path_restriction: [{ paths: ['infra/**'] }, { paths: ['infra/**'], mode: 'deny' }],
    file_size: [{ max_bytes: 1 }, { max_bytes: 1 }],
    file_extension: [
      { extensions: ['.EXE', '*.jar', 'tar.gz'] },
      { extensions: ['exe', 'jar', 'tar.gz'] },
    ],
    creation: [{}, {}],
    update: [{}, {}],
    deletion: [{}, {}],
    non_fast_forward: [{}, {}],
    linear_history: [{}, {}],
    signed_commits: [{}, {}],
    commit_message: [{ pattern: '^x' }, { pattern: '^x', negate: false, message: null }],
    commit_author_email: [
      { pattern: '@x', negate: true, message: 'no' },
      { pattern: '@x', negate: true, message: 'no' },
    ],
    branch_name: [{ pattern: 'x' }, { pattern: 'x', negate: false, message: null }],
    tag_name: [{ pattern: 'x' }, { pattern: 'x', negate: false, message: null }],
    merge_queue: [{}, { slots: 3, timeout_minutes: null }],
    immutable_releases: [{}, {}],
    max_open_pulls: [{ count: 2 }, { count: 2, per: 'author' }],
  }
  for (const type of RULE_TYPES) {
    test(type, async () => {
      const [given, kept] = WHOLE[type]
      const made = await world.call(createRuleset, ada, {
        repo: REPO,
        name: `Type ${type}`,
        enforcement: 'disabled',
        target: type === 'tag_name' ? 'tag' : 'branch',
        rules: [{ type, parameters: given }],
      })
      expect(made.rules).toEqual([{ type, parameters: kept, applies_to: 'everyone' }])
      const misspelt = await refusal(
        world.call(createRuleset, ada, {
          repo: REPO,
          name: 'Bad',
          target: type === 'tag_name' ? 'tag' : 'branch',
          rules: [of('update'), { type, parameters: { ...given, maxUsd: 1 } }].slice(
            type === 'tag_name' ? 1 : 0,
          ),
        }),
      )
      expect([misspelt.code, misspelt.field]).toEqual([
        'invalid',
        `rules[${type === 'tag_name' ? 0 : 1}].parameters.maxUsd`,
      ])
    })
  }
})

describe('what is wrong is named', () => {
  const bad = (
    type: (typeof RULE_TYPES)[number],
    parameters: Record<string, unknown>,
    field: string,
  ) =>
    [
      { rules: [{ type, parameters }] },
      field === '' ? 'rules[0].parameters' : `rules[0].parameters.${field}`,
    ] as const
  const window = (change: Record<string, unknown>) => ({
    windows: [{ days: ['mon'], start: '09:00', end: '17:00', ...change }],
  })
  const CASES: (readonly [Record<string, unknown>, string])[] = [
    bad('cost_cap', {}, 'max_usd'),
    bad('cost_cap', { max_usd: 0 }, 'max_usd'),
    bad('cost_cap', { max_usd: '5' }, 'max_usd'),
    bad('cost_cap', { max_usd: 1, per: 'year' }, 'per'),
    bad('pull_request', { required_approvals: 11 }, 'required_approvals'),
    bad('pull_request', { required_approvals: 1.5 }, 'required_approvals'),
    bad('pull_request', { dismiss_stale: 'yes' }, 'dismiss_stale'),
    bad('pull_request', { allowed_methods: ['merge', 'octopus'] }, 'allowed_methods[1]'),
    bad('human_approval', { count: 6 }, 'count'),
    bad('human_approval', { from: ['acme/nobody'] }, 'from[0]'),
    bad('human_approval', { paths: 'infra' }, 'paths'),
    bad('required_checks', {}, 'contexts'),
    bad('required_checks', { contexts: ['ci', ''] }, 'contexts[1]'),
    bad('session_required', { kinds: ['Plan!'] }, 'kinds[0]'),
    bad('security_alerts', { severity: 'huge' }, 'severity'),
    bad('security_alerts', { kinds: ['all'] }, 'kinds[0]'),
    bad('change_size', {}, 'max_files'),
    bad('change_size', { max_lines: 0 }, 'max_lines'),
    bad('path_restriction', {}, 'paths'),
    bad('path_restriction', { paths: ['a'], mode: 'maybe' }, 'mode'),
    bad('file_size', {}, 'max_bytes'),
    bad('file_extension', { extensions: ['a/b'] }, 'extensions[0]'),
    bad('commit_message', {}, 'pattern'),
    bad('commit_message', { pattern: '(' }, 'pattern'),
    bad('commit_message', { pattern: '(?=x)' }, 'pattern'),
    bad('commit_message', { pattern: '(a)\\1' }, 'pattern'),
    bad('commit_message', { pattern: '((a{100}){100}){100}' }, 'pattern'),
    bad('commit_message', { pattern: 'x'.repeat(501) }, 'pattern'),
    bad('commit_message', { pattern: '(.{900}){2}.{900}'.repeat(2) }, 'pattern'),
    bad('merge_queue', { slots: 21 }, 'slots'),
    bad('max_open_pulls', { count: 0 }, 'count'),
    bad('deletion', { force: true }, 'force'),
    bad('merge_window', {}, 'windows'),
    bad('merge_window', { time_zone: 'Europe/Berlin', ...window({}) }, 'time_zone'),
    bad('merge_window', window({ days: ['monday'] }), 'windows[0].days[0]'),
    bad('merge_window', window({ days: [] }), 'windows[0].days'),
    bad('merge_window', window({ days: Array(8).fill('mon') }), 'windows[0].days'),
    bad('merge_window', window({ start: '25:00' }), 'windows[0].start'),
    bad('merge_window', window({ start: '24:00' }), 'windows[0].start'),
    bad('merge_window', window({ end: 17 }), 'windows[0].end'),
    bad('merge_window', window({ from: 1 }), 'windows[0].from'),
    bad(
      'merge_window',
      { freezes: [{ start: '2026-12-31', end: '2026-12-30' }] },
      'freezes[0].end',
    ),
    bad(
      'merge_window',
      { freezes: [{ start: 'yesterday', end: '2026-12-30' }] },
      'freezes[0].start',
    ),
    [{ target: 'tag', rules: [of('pull_request')] }, 'rules[0].type'],
    [{ target: 'push', rules: [of('update'), of('merge_window')] }, 'rules[1].type'],
    [{ rules: [of('tag_name', { pattern: 'x' })] }, 'rules[0].type'],
    [{ target: 'tag', rules: [of('branch_name', { pattern: 'x' })] }, 'rules[0].type'],
    [{ rules: [{ type: 'unheard_of' }] }, 'rules[0].type'],
    [{ rules: [{ type: 'update', parameters: [] }] }, 'rules[0].parameters'],
    [{ rules: [{ type: 'update', applies_to: 'robots' }] }, 'rules[0].applies_to'],
    [{ name: ' \u200b ', rules: [] }, 'name'],
    [
      { rules: [], conditions: { ref_name: { include: ['~MAIN'] } } },
      'conditions.ref_name.include[0]',
    ],
    [{ rules: [], conditions: { ref_name: { include: [''] } } }, 'conditions.ref_name.include[0]'],
    [
      { rules: [], conditions: { ref_name: { exclude: ['x'.repeat(256)] } } },
      'conditions.ref_name.exclude[0]',
    ],
    [
      { rules: [], conditions: { ref_name: { include: Array(101).fill('x') } } },
      'conditions.ref_name.include',
    ],
    [
      { rules: [], target: 'tag', conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } } },
      'conditions.ref_name.include[0]',
    ],
    [{ rules: [], conditions: { repository: { include: ['~ALL'] } } }, 'conditions.repository'],
    [
      { rules: [], bypass_actors: [{ kind: 'team', value: 'acme/none' }] },
      'bypass_actors[0].value',
    ],
    [
      { rules: [], bypass_actors: [{ kind: 'team', value: 'other/core' }] },
      'bypass_actors[0].value',
    ],
    [{ rules: [], bypass_actors: [{ kind: 'user', value: 'ada/bot' }] }, 'bypass_actors[0].value'],
    [{ rules: [], bypass_actors: [{ kind: 'agent', value: 'x' }] }, 'bypass_actors[0].kind'],
    [{ rules: [], bypass_actors: [{ kind: 'role', value: 'write' }] }, 'bypass_actors[0].value'],
    [
      {
        rules: [],
        bypass_actors: [{ kind: 'workspace_token', value: 'tok_01h455vb4pex5vsknk084sn02q' }],
      },
      'bypass_actors[0].value',
    ],
    [
      {
        rules: [],
        bypass_actors: [
          { kind: 'user', value: 'mel' },
          { kind: 'user', value: 'MEL' },
        ],
      },
      'bypass_actors[1].value',
    ],
  ]
  for (const [input, field] of CASES) {
    test(`${field}: ${JSON.stringify(input)}`.slice(0, 110), async () => {
      const before = world.events().length
      const refused = await refusal(
        world.call(createRuleset, ada, { repo: REPO, name: 'Bad', ...input } as never),
      )
      expect([refused.code, refused.field]).toEqual(['invalid', field])
      expect(refused.message.length).toBeGreaterThan(10)
      expect(world.events().length).toBe(before)
    })
  }
})
