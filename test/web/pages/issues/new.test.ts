/** New issues: choices, templates, forms, and what hostile templates do not do. */
import { describe, expect, test } from 'bun:test'
import { createMilestone, getIssue } from '#features/issues/index.ts'
import { runForge } from '../../../features/oauth/running.ts'

const forge = await runForge()
const ada = await forge.user('ada')
const mel = await forge.user('mel')
await forge.user('otto')
await forge.workspace('acme', { owner: ada, members: [mel] })
for (const repo of ['acme/plain', 'acme/site', 'acme/hostile', 'acme/strict'])
  await forge.repo(repo, { as: ada })
const spring = await forge.call(createMilestone, ada, { repo: 'acme/plain', title: 'Spring' })

const FORM = `name: Bug report
description: Something is broken
title: "[Bug]: "
labels: ["bug", "docs"]
assignees: mel
body:
  - type: markdown
    attributes:
      value: "**Thanks** for writing. <script>alert(1)</script>"
  - type: input
    id: version
    attributes:
      label: Version
      placeholder: "1.0"
    validations:
      required: true
  - type: textarea
    attributes:
      label: Log
      render: shell
  - type: dropdown
    attributes:
      label: System
      options: [Linux, "Mac OS"]
  - type: checkboxes
    attributes:
      label: Terms
      options:
        - label: I have searched
          required: true
        - label: I can help
`
await forge.commit(
  'acme/site',
  'main',
  {
    'CONTRIBUTING.md': '# How\n',
    '.github/SECURITY.md': '# Report\n',
    '.github/ISSUE_TEMPLATE/bug.yml': FORM,
    '.github/ISSUE_TEMPLATE/idea.md': `---
name: Idea
about: Propose something
labels: feature, question
---
## What should change?
`,
    '.github/ISSUE_TEMPLATE/config.yml': `blank_issues_enabled: true
contact_links:
  - name: Ask in the forum
    url: https://forum.example.com/
    about: Questions go there
  - name: Evil
    url: javascript:alert(1)
`,
    '.github/pull_request_template.md': '## What changes\n',
  },
  { as: ada },
)

describe('without templates', () => {
  const at = '/acme/plain/issues/new'
  test('one form has everything', async () => {
    const browser = await forge.browser('ada')
    expect(await browser.open(`${at}/choose`)).toMatchObject({ status: 302, location: at })
    const { html } = await browser.open(at)
    const sent = await browser.press(html, at, {
      title: 'It leaks',
      body: 'Much',
      labels: ['', 'bug', 'wet, cold'],
      assignees: ['', 'mel'],
      milestone: spring.id,
      checks: 'true',
    })
    expect(sent).toMatchObject({ status: 303, location: '/acme/plain/issues/1' })
    const { issue } = await forge.call(getIssue, ada, { repo: 'acme/plain', number: 1 })
    expect(issue).toMatchObject({
      labels: ['bug', 'cold', 'wet'],
      assignees: [{ username: 'mel' }],
      milestone: { title: 'Spring' },
      checks: ['true'],
    })
  })

  test('a refused form keeps its choices', async () => {
    const browser = await forge.browser('ada')
    const { html } = await browser.open(at)
    const refused = await browser.press(html, at, {
      title: ' ',
      labels: ['', 'docs'],
      assignees: ['', 'mel'],
    })
    expect(refused.status).toBe(422)
    expect(refused.html).toMatch(/value="docs" checked/)
    expect(refused.html).toMatch(/value="mel" checked/)
  })

  test('those without triage choose labels only', async () => {
    const browser = await forge.browser('otto')
    const { html } = await browser.open(at)
    expect(html).toContain('aria-label="Labels"')
    for (const other of ['Assignees', 'Milestone', 'New labels'])
      expect(html).not.toContain(`aria-label="${other}"`)
  })
})

describe('with templates', () => {
  const at = '/acme/site/issues/new'
  const issueAt = async (location: string) =>
    (
      await forge.call(getIssue, ada, {
        repo: 'acme/site',
        number: Number(location.split('/').at(-1)),
      })
    ).issue

  test('the chooser lists templates, links, the security policy and the blank issue', async () => {
    const browser = await forge.browser('ada')
    expect(await browser.open(at)).toMatchObject({ status: 302, location: `${at}/choose` })
    const { html } = await browser.open(`${at}/choose`)
    for (const shown of [
      `href="${at}?template=bug.yml"`,
      'Something is broken',
      `href="${at}?template=idea.md"`,
      'href="https://forum.example.com/"',
      `href="${at}?template=blank"`,
      'href="/acme/site/blob/main/.github/SECURITY.md"',
      'href="/acme/site/blob/main/CONTRIBUTING.md"',
    ])
      expect(html).toContain(shown)
    expect(html).not.toContain('javascript:')
    expect((await browser.open(`${at}?template=blank`)).status).toBe(200)
    expect((await browser.open(`${at}?title=From+a+link`)).status).toBe(200)
  })

  test('a template fills in text and labels', async () => {
    const browser = await forge.browser('ada')
    const { html } = await browser.open(`${at}?template=idea.md`)
    expect(html).toContain('## What should change?')
    expect(html).not.toContain('about: Propose')
    expect(html).toMatch(/value="feature" checked/)
  })

  test('the answers of a form become the text of the issue', async () => {
    const browser = await forge.browser('ada')
    const { html } = await browser.open(`${at}?template=bug.yml`)
    expect(html).toContain('<strong>Thanks</strong>')
    expect(html).not.toContain('<script>alert')
    const filled = {
      title: '[Bug]: door',
      'field-1': '2.1',
      'field-2': 'a ``` b',
      'field-3': 'Mac OS',
    }
    const refused = await browser.press(html, at, { ...filled, 'field-4': ['I can help'] })
    expect([refused.status, refused.html.includes('I have searched is required.')]).toEqual([
      422,
      true,
    ])
    expect(refused.html).toContain('value="2.1"')
    const sent = await browser.press(html, at, { ...filled, 'field-4': ['I have searched'] })
    expect(sent.status).toBe(303)
    expect(await issueAt(sent.location)).toMatchObject({
      title: '[Bug]: door',
      labels: ['bug', 'docs'],
      assignees: [{ username: 'mel' }],
      body: [
        '### Version\n\n2.1',
        '### Log\n\n````shell\na ``` b\n````',
        '### System\n\nMac OS',
        '### Terms\n\n- [x] I have searched\n- [ ] I can help',
      ].join('\n\n'),
    })
  })

  test('new pull requests begin with their template', async () => {
    const browser = await forge.browser('ada')
    const { html } = await browser.open('/acme/site/pulls/new')
    expect(html).toContain('## What changes')
    expect(html).toContain('href="/acme/site/blob/main/CONTRIBUTING.md"')
  })
})

test('hostile templates are left out, and harm nobody', async () => {
  let bomb = 'a0: &a0 [x,x,x,x,x,x,x,x,x]\n'
  for (let at = 1; at < 12; at++)
    bomb += `a${at}: &a${at} [${Array(9)
      .fill(`*a${at - 1}`)
      .join(',')}]\n`
  const field = '  - {type: input, attributes: {label: L}}\n'
  await forge.commit(
    'acme/hostile',
    'main',
    {
      '.hearth/ISSUE_TEMPLATE/bomb.yml': `${bomb}body:\n${field}`,
      '.hearth/ISSUE_TEMPLATE/deep.yml': `body: ${'['.repeat(20_000)}`,
      '.hearth/ISSUE_TEMPLATE/long.yml': `body:\n${field.repeat(5000)}`,
      '.hearth/ISSUE_TEMPLATE/odd.yml': 'name: [1]\nbody: {type: input}\n',
      '.hearth/ISSUE_TEMPLATE/proto.yml': `__proto__: {name: x}\nname: <b>\nbody:\n${field.repeat(300)}`,
      '.hearth/ISSUE_TEMPLATE/self.md': '---\nname: &a [*a]\nlabels: *a\n---\nText\n',
    },
    { as: ada },
  )
  const browser = await forge.browser('ada')
  const { html, status } = await browser.open('/acme/hostile/issues/new/choose')
  expect(status).toBe(200)
  expect([...html.matchAll(/\?template=([\w.]+)/g)].map(([, name]) => name)).toEqual([
    'proto.yml',
    'self.md',
    'blank',
  ])
  expect(html).not.toContain('<b>')
  const form = await browser.open('/acme/hostile/issues/new?template=proto.yml')
  expect(form.html.match(/name="field-/g)).toHaveLength(40)
})

test('a repository can refuse blank issues', async () => {
  await forge.commit(
    'acme/strict',
    'main',
    {
      '.hearth/ISSUE_TEMPLATE/bug.yml': FORM,
      '.hearth/ISSUE_TEMPLATE/config.yml': 'blank_issues_enabled: false\n',
    },
    { as: ada },
  )
  const browser = await forge.browser('ada')
  const { html } = await browser.open('/acme/strict/issues/new/choose')
  expect(html).not.toContain('Blank issue')
  expect(await browser.open('/acme/strict/issues/new?template=blank')).toMatchObject({
    status: 302,
  })
})
