/** The pages of rulesets, as browsers without a script use them. */
import { describe, expect, test } from 'bun:test'
import {
  getRuleset,
  listRulesets,
  type Ruleset,
  RULE_TYPES,
  createRuleset,
} from '#features/rulesets/index.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { moveRefs, prepareUpdates, readRef, repoByPath } from '#features/repos/index.ts'
import { push } from '#features/repos/push/push.ts'
import { createTeam } from '#features/teams/create-team.ts'
import {
  freezeOf,
  RULE_TYPE_FORMS,
  describeRule,
  windowOf,
} from '#web/pages/rulesets/rule-types.ts'
import { runForge, type Browser } from '../../features/oauth/running.ts'
import { formOf } from './form-of.ts'

async function setUp() {
  const forge = await runForge()
  const ada = await forge.user('ada')
  const bob = await forge.user('bob')
  await forge.workspace('acme', { owner: ada, members: [bob] })
  await forge.repo('acme/site', { as: ada })
  await forge.commit('acme/site', 'main', { 'a.txt': 'a\n' }, { as: ada })
  await forge.call(createTeam, ada, { workspace: 'acme', name: 'core', slug: 'core' })
  return {
    forge,
    ada,
    bob,
    browser: await forge.browser('ada'),
    member: await forge.browser('bob'),
    visitor: await forge.browser(null),
  }
}

/** Sends a form of a page with some fields changed; null takes a field away. */
async function send(
  browser: Browser,
  page: string,
  action: string,
  change: Record<string, string | string[] | null>,
) {
  const { html } = await browser.open(page)
  const fields = formOf(html, action)
  for (const [name, value] of Object.entries(change)) {
    if (value === null) fields.delete(name)
    else fields.set(name, [value].flat())
  }
  return browser.press(html, action, { ...change, ...Object.fromEntries(fields) })
}

for (const [level, base, target] of [
  ['repository', '/acme/site/settings/rulesets', { repo: 'acme/site' }],
  ['workspace', '/acme/-/rulesets', { workspace: 'acme' }],
] as const) {
  describe(`of a ${level}`, () => {
    test('are created from a preset, shown, changed and deleted', async () => {
      const { forge, ada, browser, member, visitor } = await setUp()
      expect((await browser.open(base)).html).toContain('No rulesets yet')
      for (const other of [member, visitor])
        expect((await other.open(`${base}/new`)).status).not.toBe(200)
      const preset = await browser.open(`${base}/new?preset=protect`)
      expect(
        [...formOf(preset.html, `${base}/new`)]
          .filter(([name]) => name.endsWith('.on'))
          .map(([name]) => name),
      ).toEqual(['pull_request-0.on', 'deletion-0.on', 'non_fast_forward-0.on'])
      const made = await send(browser, `${base}/new?preset=protect`, `${base}/new`, {
        name: 'Strict',
        bypass_kind: ['team', 'role'],
        bypass_value: ['acme/core', ' admin '],
        bypass_mode: ['pull_request', 'always'],
        'pull_request-0.required_approvals': '2',
        'merge_window-0.on': 'true',
        'merge_window-0.windows': 'mon-thu 09:00-17:00\r\nfri 22:00-04:00',
        'merge_window-0.freezes': '2026-12-20 2027-01-03 Holidays',
        'merge_window-0.exceptions': 'hotfix\nacme/core',
        'file_size-0.on': 'true',
        'file_size-0.max_bytes': '1.5',
        'path_restriction-0.on': 'true',
        'path_restriction-0.paths': 'infra/**',
        'path_restriction-0.applies_to': 'agents',
      })
      expect(made.status).toBe(303)
      const [ruleset] = (await forge.call(listRulesets, ada, target)).items
      expect(made.location).toBe(`${base}/${ruleset?.id}`)
      expect(ruleset).toMatchObject({
        name: 'Strict',
        enforcement: 'active',
        target: 'branch',
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
        bypass_actors: [
          { kind: 'team', value: 'acme/core', mode: 'pull_request' },
          { kind: 'role', value: 'admin', mode: 'always' },
        ],
      })
      expect(ruleset?.rules).toEqual([
        {
          type: 'pull_request',
          applies_to: 'everyone',
          parameters: {
            required_approvals: 2,
            dismiss_stale: true,
            require_code_owner: false,
            require_last_push_approval: false,
            allowed_methods: ['merge', 'squash', 'rebase'],
            require_conversation_resolution: false,
          },
        },
        {
          type: 'merge_window',
          applies_to: 'everyone',
          parameters: {
            time_zone: '+00:00',
            windows: [
              { days: ['mon', 'tue', 'wed', 'thu'], start: '09:00', end: '17:00' },
              { days: ['fri'], start: '22:00', end: '04:00' },
            ],
            freezes: [{ start: '2026-12-20', end: '2027-01-03', reason: 'Holidays' }],
            exceptions: ['hotfix', 'acme/core'],
          },
        },
        { type: 'deletion', applies_to: 'everyone', parameters: {} },
        { type: 'non_fast_forward', applies_to: 'everyone', parameters: {} },
        {
          type: 'path_restriction',
          applies_to: 'agents',
          parameters: { paths: ['infra/**'], mode: 'deny' },
        },
        { type: 'file_size', applies_to: 'everyone', parameters: { max_bytes: 1_572_864 } },
      ])
      const here = made.location
      expect((await browser.open(base)).html).toContain('Strict')
      const shown = await browser.open(here)
      expect(shown.html).toContain('Paths: not infra/**')
      // Sent back as it is, nothing changes.
      expect((await send(browser, here, here, {})).status).toBe(303)
      expect(await forge.call(getRuleset, ada, { ...target, id: ruleset?.id ?? '' })).toEqual(
        ruleset as Ruleset,
      )
      await send(browser, here, here, {
        enforcement: 'evaluate',
        'path_restriction-1.on': 'true',
        'path_restriction-1.paths': 'docs',
        'path_restriction-1.mode': 'allow',
        'deletion-0.on': null,
      })
      const changed = await forge.call(getRuleset, ada, { ...target, id: ruleset?.id ?? '' })
      expect([changed.enforcement, changed.rules.map(({ type }) => type)]).toEqual([
        'evaluate',
        [
          'pull_request',
          'merge_window',
          'non_fast_forward',
          'path_restriction',
          'path_restriction',
          'file_size',
        ],
      ])

      // Members read it and find no form.
      const read = await member.open(here)
      expect([
        read.status,
        read.html.includes('Strict'),
        read.html.includes('Delete ruleset'),
      ]).toEqual([200, true, false])
      expect((await visitor.open(here)).status).not.toBe(200)
      expect(
        (await browser.press((await browser.open(here)).html, `${here}/delete`, {})).location,
      ).toBe(base)
      expect((await browser.open(here)).status).toBe(404)
    })

    test('an error is shown beside its field, with the typed text', async () => {
      const { browser } = await setUp()
      const tried = async (change: Record<string, string | string[] | null>) => {
        const answer = await send(browser, `${base}/new`, `${base}/new`, {
          name: 'Wrong',
          ...change,
        })
        const errors = [
          ...answer.html.matchAll(/id="field-([\w.-]+)-error">(?:<svg[\s\S]*?<\/svg>)?\s*([^<]*)/g),
        ].map(([, field, text]) => `${field}: ${text?.trim()}`)
        return {
          status: answer.status,
          errors,
          html: answer.html,
          fields: formOf(answer.html, `${base}/new`),
        }
      }
      const lines = await tried({
        'merge_window-0.on': 'true',
        'merge_window-0.windows': 'sometimes',
        'deletion-0.on': 'true',
        'human_approval-0.paths': 'kept/though/off',
      })
      expect([lines.status, lines.errors]).toEqual([
        422,
        [expect.stringMatching(/^merge_window-0-windows: .*cannot be read; write it like mon-fri/)],
      ])
      expect([
        lines.fields.get('merge_window-0.windows'),
        lines.fields.get('deletion-0.on'),
        lines.fields.get('human_approval-0.paths'),
        lines.fields.get('name'),
      ]).toEqual([['sometimes'], ['true'], ['kept/though/off'], ['Wrong']])
      expect((await tried({ 'cost_cap-0.on': 'true' })).errors).toEqual([
        'cost_cap-0-max_usd: cost_cap needs max_usd',
      ])
      expect(
        (
          await tried({
            'pull_request-0.on': 'true',
            'commit_message-0.on': 'true',
            'commit_message-0.pattern': '(',
          })
        ).errors,
      ).toEqual([expect.stringContaining('commit_message-0-pattern: ')])
      expect((await tried({ name: ' ' })).errors).toEqual([expect.stringContaining('name: ')])
      expect((await tried({ include: '~MAIN' })).errors).toEqual([
        expect.stringContaining('include: ~MAIN is not known'),
      ])
      const type = await tried({ target: 'tag', 'pull_request-0.on': 'true', include: '~ALL' })
      expect([
        type.status,
        type.html.includes('pull_request is about merging into branches'),
      ]).toEqual([422, true])
      const passing = await tried({
        bypass_kind: ['team', 'user'],
        bypass_value: ['', 'nobody-here'],
        bypass_mode: ['always', 'always'],
      })
      expect([
        passing.status,
        passing.html.includes('There is no user nobody-here'),
        passing.fields.get('bypass_value'),
      ]).toEqual([422, true, ['', 'nobody-here']])
    })
  })
}

describe('pages with rules', () => {
  test('insights show the results to the maintain role', async () => {
    const { forge, ada, bob, browser, member } = await setUp()
    await forge.call(createRuleset, ada, {
      repo: 'acme/site',
      name: 'No <b>forks</b>',
      rules: [{ type: 'branch_name', parameters: { pattern: '^ok' } }],
      conditions: { ref_name: { include: ['~ALL'] } },
    })
    const sha = await forge.commit('acme/site', 'main', { 'b.txt': 'b\n' }, { as: ada })
    await forge.call(push, bob, {
      repo: 'acme/site',
      updates: [
        { name: 'refs/heads/bad', old: null, new: sha },
        { name: 'refs/heads/ok', old: null, new: sha },
      ],
    })
    const page = await browser.open('/acme/site/settings/rulesets/insights')
    expect(page.status).toBe(200)
    for (const word of [
      'Branch names',
      'Refused',
      'Passed',
      'No &lt;b&gt;forks&lt;/b&gt;',
      'does not match',
      'bob',
    ])
      expect(page.html).toContain(word)
    expect(
      (await browser.open('/acme/site/settings/rulesets/insights?result=pass')).html,
    ).not.toContain('does not match')
    expect((await member.open('/acme/site/settings/rulesets/insights')).status).toBe(404)
  })

  test('branches and pull requests link to their rules', async () => {
    const { forge, ada, bob, browser, visitor } = await setUp()
    expect((await browser.open('/acme/site/branches')).html).not.toContain('/rules/')
    const made = await forge.call(createRuleset, ada, {
      workspace: 'acme',
      name: 'Two eyes',
      rules: [{ type: 'human_approval', parameters: {} }, { type: 'linear_history' }],
      bypass_actors: [{ kind: 'user', value: 'ada' }],
    })
    expect((await browser.open('/acme/site/branches')).html).toContain('/acme/site/rules/main')
    const rules = await visitor.open('/acme/site/rules/main')
    expect([
      rules.status,
      rules.html.includes('Approval by people: 1'),
      rules.html.includes('Linear history'),
      rules.html.includes('Two eyes'),
    ]).toEqual([200, true, true, true])
    expect((await visitor.open('/acme/site/rules/some/other/branch')).html).toContain('No rules')
    const row = repoByPath(forge.hearth.db, 'acme/site')
    if (!row) throw new Error('gone')
    const main = readRef(forge.hearth.db, row.id, 'refs/heads/main')
    const author = { name: 'bob', email: 'bob@example.com', time: 1_700_000_000, zone: '+0000' }
    const { commit } = await forge.hearth.git.commitFiles(row.store, {
      parent: main,
      changes: [{ action: 'put', path: 'd.txt', data: new Uint8Array([65]) }],
      message: 'D',
      author,
      committer: author,
    })
    const prepared = await prepareUpdates(forge.hearth, row, [
      { name: 'refs/heads/ready', old: null, new: commit },
    ])
    await forge.write((tx) => moveRefs(tx, row, prepared), bob)
    const { pull } = await forge.call(createPull, bob, {
      repo: 'acme/site',
      title: 'Ready',
      branch: 'ready',
    })
    const page = await browser.open(`/acme/site/pull/${pull.number}`)
    expect(page.html).toContain('It needs 1 approval by people and has 0')
    expect(page.html).toContain(`/acme/-/rulesets/${made.id}`)
    expect(page.html).toContain('2 rules</a> apply to main')
    // A merge commit is not offered, and whoever may pass can.
    expect(formOf(page.html, `/acme/site/pull/${pull.number}/merge`).get('method')).toEqual([
      'squash',
    ])
    expect(page.html).toContain('Bypass rules and merge')
    expect(
      (
        await send(
          browser,
          `/acme/site/pull/${pull.number}`,
          `/acme/site/pull/${pull.number}/merge`,
          {},
        )
      ).status,
    ).toBe(303)
    expect((await browser.open(`/acme/site/pull/${pull.number}`)).html).toContain('merged this')
  })
})

test('every type has its texts, and lines survive writing and reading', () => {
  expect(Object.keys(RULE_TYPE_FORMS).sort()).toEqual([...RULE_TYPES].sort())
  expect(windowOf('Mon-Wed, fri 09:00 - 17:00')).toEqual({
    days: ['mon', 'tue', 'wed', 'fri'],
    start: '09:00',
    end: '17:00',
  })
  expect(windowOf('sat-mon 00:00-24:00')?.days).toEqual(['mon', 'sat', 'sun'])
  for (const line of ['mon 9-17', 'someday 09:00-17:00', '09:00-17:00', 'mon-xyz 09:00-17:00'])
    expect(windowOf(line)).toBeNull()
  expect(freezeOf('2026-12-24T18:00 2026-12-27 Long weekend')).toEqual({
    start: '2026-12-24T18:00',
    end: '2026-12-27',
    reason: 'Long weekend',
  })
  expect(freezeOf('Christmas')).toBeNull()
  expect(describeRule({ type: 'cost_cap', parameters: { max_usd: 5, per: 'day' } })).toBe(
    'Cost cap: $5 a day',
  )
})
