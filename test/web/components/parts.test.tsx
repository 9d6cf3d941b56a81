import { describe, expect, test } from 'bun:test'
import {
  Avatar,
  Button,
  CodeView,
  Comment,
  CommitRow,
  CopyField,
  DiffView,
  Field,
  Form,
  IssueRow,
  Label,
  Layout,
  Pagination,
  ActorLink,
  Radio,
  RelativeTime,
  SessionStory,
  Tabs,
  TokenSecret,
  TreeTable,
  diffAnchor,
  type DiffFile,
} from '#web/components/index.ts'
import { Gallery } from '#web/gallery.tsx'
import type { Html } from '#web/jsx/html.ts'

const html = (node: Html | null): string => (node ?? '').toString()
const hostile = '"><img src=x onerror=alert(1)>'
const now = Date.parse('2026-03-12T14:00:00.000Z')

/** Attributes of every element that matches. */
const all = (page: string, selector: string): Record<string, string>[] => {
  const found: Record<string, string>[] = []
  new HTMLRewriter()
    .on(selector, { element: (element) => void found.push(Object.fromEntries(element.attributes)) })
    .transform(page)
  return found
}

describe('forms', () => {
  test('a form that changes something carries the token and is a POST', () => {
    const page = html(
      <Form action="/x" csrf="tok">
        <Button name="decision" value="approve">
          Approve
        </Button>
      </Form>,
    )
    expect(all(page, 'form')).toEqual([
      { class: 'form', action: '/x', method: 'post', 'data-once': '' },
    ])
    expect(all(page, 'input[type=hidden]')).toEqual([
      { type: 'hidden', name: 'csrf', value: 'tok' },
    ])
    expect(all(page, 'button')[0]).toMatchObject({
      type: 'submit',
      name: 'decision',
      value: 'approve',
    })
    expect(() => <Form action="/x" />).toThrow('csrf')
    expect(html(<Form action="/x" method="get" />)).not.toContain('csrf')
  })
  test('a field keeps its value and is tied to its error and hint', () => {
    const page = html(
      <Field
        name="title"
        label="Title"
        required
        value={hostile}
        error="Too long"
        hint="One line"
      />,
    )
    const [input] = all(page, 'input')
    expect(input).toMatchObject({
      id: 'field-title',
      name: 'title',
      'aria-invalid': 'true',
      'aria-describedby': 'field-title-error field-title-hint',
    })
    expect(all(page, 'label')).toEqual([{ for: 'field-title' }])
    expect(all(page, '#field-title-error, #field-title-hint')).toHaveLength(2)
    expect(page).toContain('value="&quot;&gt;&lt;img')
    expect(page).not.toContain('optional')
  })
  test('a password is never sent back', () => {
    expect(
      html(<Field name="password" type="password" label="Password" value="secret" />),
    ).not.toContain('secret')
  })
  test('checkboxes with the same name have different ids', () => {
    const page = html(
      <>
        <Radio name="v" value="a b" label="A" />
        <Radio name="v" value="c" label="C" checked />
      </>,
    )
    expect(all(page, 'input').map((input) => input.id)).toEqual(['field-v-a-b', 'field-v-c'])
  })
  test('a secret has its fixed id and can be selected without a script', () => {
    expect(html(<TokenSecret secret="hrt_1" />)).toContain(
      '<code id="token-secret" class="secret-value">hrt_1</code>',
    )
    expect(
      all(html(<CopyField id="clone" label="HTTPS" value="https://x" />), 'input')[0],
    ).toMatchObject({ value: 'https://x', readonly: '' })
  })
})

describe('names that strangers choose', () => {
  const person = {
    username: hostile,
    name: hostile,
    kind: 'agent',
    on_behalf_of: { username: hostile },
  }
  test('every component escapes them', () => {
    const page = [
      <ActorLink of={person} />,
      <Avatar of={person} label />,
      <Label label={{ name: hostile, color: hostile, description: hostile }} href={hostile} />,
      <IssueRow
        issue={{
          number: 1,
          repo: `a/${hostile}`,
          title: hostile,
          state: hostile,
          author: person,
          milestone: { title: hostile },
          created_at: hostile,
        }}
        labels={{ labels: [{ name: hostile }], more: 1 }}
      />,
      <CommitRow
        repo="a/b"
        commit={{
          sha: hostile,
          title: hostile,
          message: `${hostile}\n${hostile}`,
          author: { name: hostile, date: hostile },
        }}
      />,
      <TreeTable
        entries={[{ name: hostile, path: hostile, type: hostile }]}
        repo="a/b"
        rev={hostile}
      />,
      <DiffView
        files={[
          {
            path: hostile,
            old_path: `${hostile}2`,
            status: hostile,
            additions: 1,
            deletions: 0,
            hunks: [
              {
                old_start: 1,
                old_lines: 0,
                new_start: 1,
                new_lines: 1,
                heading: hostile,
                lines: [{ kind: 'add', text: hostile }],
              },
            ],
          },
        ]}
        options={{
          commentHref: (path) => path,
          expandHref: (path) => path,
          loadHref: (path) => path,
          fileHref: (file) => file.path,
        }}
      />,
      <SessionStory
        entries={['message', 'tool', 'result', 'edit', hostile, 'plan', 'check', 'checkpoint'].map(
          (kind, index) => ({
            seq: index + 1,
            kind,
            text: hostile,
            tool: hostile,
            at: hostile,
            author: person,
            data: {
              paths: [hostile],
              input: { command: hostile },
              steps: [{ text: hostile }],
              status: hostile,
              command: hostile,
              sha: hostile,
              model: hostile,
            },
          }),
        )}
      />,
      <Comment id="c" author={person} at={hostile} body={hostile} role={hostile} />,
      <Tabs label={hostile} tabs={[{ label: hostile, href: hostile }]} />,
    ]
      .map(html)
      .join('')
    expect(page).not.toContain('<img')
    expect(
      all(page, '*')
        .flatMap((attributes) => Object.keys(attributes))
        .filter((name) => name.startsWith('on') || name === 'style'),
    ).toEqual([])
  })
})

describe('small components', () => {
  test('a relative time has the exact time as attribute', () => {
    expect(html(<RelativeTime at="2026-03-12T13:55:00.000Z" now={now} />)).toBe(
      '<time datetime="2026-03-12T13:55:00.000Z" title="2026-03-12 13:55 UTC" data-relative>5 minutes ago</time>',
    )
    const words = [
      [0, 'just now'],
      [59, '59 minutes ago'],
      [60 * 5, '5 hours ago'],
      [60 * 24 * 3, '3 days ago'],
      [60 * 24 * 40, '31 Jan 2026'],
      [-120, 'in 2 hours'],
    ] as const
    for (const [minutes, text] of words)
      expect(
        html(<RelativeTime at={new Date(now - minutes * 60_000).toISOString()} now={now} />),
      ).toContain(`>${minutes === 59 ? '1 hour ago' : text}<`)
  })
  test('pagination links the ends and the neighbours, and no missing page', () => {
    const links = (page: number, total: number) =>
      all(
        html(<Pagination page={page} perPage={30} total={total} href={(n) => `?page=${n}`} />),
        'a',
      ).map((a) => `${a['aria-label']}${a['aria-current'] ? '*' : ''}`)
    expect(links(1, 30)).toEqual([])
    expect(links(1, 61)).toEqual(['Page 1*', 'Page 2', 'Page 3', 'Next page'])
    expect(links(6, 1204)).toEqual([
      'Previous page',
      'Page 1',
      'Page 5',
      'Page 6*',
      'Page 7',
      'Page 41',
      'Next page',
    ])
    expect(links(41, 1204)).toEqual(['Previous page', 'Page 1', 'Page 40', 'Page 41*'])
  })
  test('a name always has the same avatar, and each kind of actor its shape', () => {
    expect(html(<Avatar of={{ username: 'ada' }} />)).toBe(
      html(<Avatar of={{ username: 'ada' }} />),
    )
    expect(html(<Avatar of={{ username: 'ada' }} />)).toContain('<circle')
    expect(html(<Avatar of={{ username: 'ada', kind: 'workspace' }} />)).toContain('<rect')
    expect(html(<Avatar of={{ username: 'ada/x', kind: 'agent' }} />)).not.toContain('<text')
    expect(html(<Avatar of={{ username: '日本' }} />)).toContain('>日</text>')
  })
  test('an agent has a mark and the name of its owner', () => {
    expect(
      html(
        <ActorLink
          of={{ username: 'ada/stoker', kind: 'agent', on_behalf_of: { username: 'ada' } }}
        />,
      ),
    ).toMatch(/href="\/ada".*agent.*for ada/)
    expect(html(<ActorLink of={null} />)).toContain('Hearth')
  })
})

describe('code', () => {
  test('every line has an anchor, and empty lines keep their height', () => {
    const page = html(<CodeView lines={['a', '', '<b>c</b>']} from={41} label="x" />)
    expect(all(page, 'li').map((row) => row.id)).toEqual(['L41', 'L42', 'L43'])
    expect(all(page, 'ol').map((list) => list.start)).toEqual(['41'])
    expect(page).toContain('<li id="L42">\n</li>')
    expect(page).toContain('<li id="L43"><b>c</b></li>')
  })
  test('long files are split into blocks', () => {
    const page = html(<CodeView lines={Array<string>(450).fill('x')} label="x" />)
    expect(all(page, '.code-block').map((block) => block.class)).toEqual([
      'code-block lazy block-20',
      'code-block lazy block-20',
      'code-block lazy block-5',
    ])
    expect(all(page, 'ol').map((list) => list.start)).toEqual(['1', '201', '401'])
    expect(html(<CodeView lines={['x']} label="x" />)).not.toContain('lazy')
  })
})

describe('changes', () => {
  const file: DiffFile = {
    path: 'a/b.ts',
    status: 'modified',
    additions: 1,
    deletions: 1,
    hunks: [
      {
        old_start: 3,
        old_lines: 2,
        new_start: 3,
        new_lines: 2,
        lines: [
          { kind: 'context', text: 'let a' },
          { kind: 'del', text: 'const b = 1' },
          { kind: 'add', text: 'const b = 2', no_newline: true },
        ],
      },
    ],
  }
  const anchor = diffAnchor('a/b.ts')
  test('lines have an anchor per side, changed words are marked, a missing last line end is shown', () => {
    const page = html(<DiffView files={[file]} />)
    expect(all(page, '.diff-table td[id]').map((cell) => cell.id)).toEqual([
      `${anchor}R3`,
      `${anchor}L4`,
      `${anchor}R4`,
    ])
    expect(page).toContain('<mark>1</mark>')
    expect(page).toContain('<mark>2</mark>')
    expect(page.match(/No newline at the end<\/span>/g)).toHaveLength(1)
  })
  test('the icons of many files are drawn once', () => {
    const statuses = ['added', 'removed', 'renamed', 'copied', 'modified', 'type_changed', 'other']
    const files = statuses.map((status) => ({ ...file, path: `${status}.ts`, status }))
    const page = html(<DiffView files={files} />)
    const drawn = new Set(all(page, 'symbol').map(({ id }) => `#${id}`))
    const used = all(page, '.diff-file use').map(({ href }) => href ?? '')
    expect(used).toHaveLength(2 * files.length)
    expect(used.filter((href) => !drawn.has(href))).toEqual([])
    expect(all(page, '.diff-file svg > path')).toEqual([])
    expect(html(<DiffView files={[file]} />)).not.toContain('<use')
  })
  test('the split view has both sides in one row', () => {
    const rows = html(<DiffView files={[file]} options={{ split: true }} />)
      .split('<tr')
      .filter((row) => row.includes(`${anchor}L4`))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toContain(`${anchor}R4`)
  })
  test('a thread is shown once, below its line', () => {
    const page = html(
      <DiffView
        files={[file]}
        options={{
          threads: [
            { path: 'a/b.ts', side: 'new', line: 4, content: 'THREAD' },
            { path: 'other', side: 'new', line: 4, content: 'OTHER' },
          ],
        }}
      />,
    )
    expect(page.split('THREAD')).toHaveLength(2)
    expect(page.indexOf('THREAD')).toBeGreaterThan(page.indexOf(`${anchor}R4`))
    expect(page).not.toContain('OTHER')
  })
  test('a file that cannot be shown says why', () => {
    const words = (more: Partial<DiffFile>) =>
      html(
        <DiffView
          files={[{ ...file, hunks: [], ...more }]}
          options={{ loadHref: () => '/load' }}
        />,
      )
    expect(words({ binary: true })).toContain('not text')
    expect(words({ reason: 'too_large', additions: 9_000 })).toMatch(
      /9,001 changed lines.*href="\/load"/s,
    )
    expect(words({ status: 'renamed', old_path: 'x' })).toContain('Renamed without changes')
    expect(words({ old_mode: '100644', mode: '100755' })).toContain('from 100644 to 100755')
    expect(words({})).toContain('empty file')
    expect(words({ viewed: true })).not.toMatch(/<details class="file diff-file"[^>]* open/)
  })
  test('ten thousand lines are split into lazy blocks', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => ({
      kind: 'add' as const,
      text: `line ${index}`,
    }))
    const page = html(
      <DiffView
        files={[
          {
            ...file,
            hunks: [{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 10_000, lines }],
          },
        ]}
      />,
    )
    expect(all(page, '.lazy').length).toBe(51)
    expect(page).toContain('line 9999')
    const many = html(
      <DiffView
        files={Array.from({ length: 60 }, (_, index) => ({ ...file, path: `f${index}` }))}
      />,
    )
    expect(all(many, 'details.diff-file.lazy.block-2')).toHaveLength(60)
  })
})

describe('a session', () => {
  const entry = (
    seq: number,
    kind: string,
    text: string,
    data: Record<string, unknown> = {},
    tool: string | null = null,
  ) => ({
    seq,
    kind,
    text,
    tool,
    data,
    at: new Date(now + seq * 60_000).toISOString(),
    author: { username: 'ada/x', kind: 'agent' },
  })
  const page = html(
    <SessionStory
      now={now}
      entries={[
        entry(1, 'message', 'HELLO'),
        entry(2, 'tool', 'OUT', { input: { command: 'make' }, exit_code: 2, ok: false }, 'bash'),
        entry(3, 'result', 'RESULT'),
        entry(4, 'edit', '', { paths: ['a', 'b'] }),
        entry(5, 'message', 'BYE'),
        entry(6, 'usage', 'USAGE', {
          model: 'm',
          input_tokens: 1_000,
          output_tokens: 10,
          cost_usd: 0.4,
        }),
        entry(7, 'usage', '', { cost_usd: 0.35 }),
        entry(8, 'summary', 'SUMMARY'),
        entry(9, 'rumination', 'NEWKIND'),
      ]}
    />,
  )
  test('the summary is first and is not repeated', () => {
    expect(page.split('SUMMARY')).toHaveLength(2)
    expect(page.indexOf('SUMMARY')).toBeLessThan(page.indexOf('HELLO'))
  })
  test('tool calls between two messages fold into one line with their kinds and failures', () => {
    expect(all(page, 'details')).toEqual([{}])
    expect(page).toContain('1 tool call, 2 files edited')
    expect(page).toContain('1 failed')
    expect(page).toContain('exit 2')
    expect(page.indexOf('RESULT')).toBeLessThan(page.indexOf('BYE'))
  })
  test('costs are summed, usage entries are hidden, unknown kinds are shown', () => {
    expect(page).toContain('$0.75')
    expect(page).not.toContain('USAGE')
    expect(page).toContain('NEWKIND')
    expect(html(<SessionStory entries={[]} />)).toContain('No session yet')
  })
})

describe('a whole page', () => {
  const page = html(<Gallery />)
  test('no inline style, script or handler', () => {
    const attributes = all(page, '*').flatMap((one) => Object.keys(one))
    expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([])
    expect(
      all(page, 'script').every((script) => (script.src ?? '').startsWith('/assets/client-')),
    ).toBe(true)
    expect(page).not.toContain('<style')
  })
  test('ids are unique, and every reference to an id has its element', () => {
    const ids = all(page, '[id]').map((one) => one.id ?? '')
    const known = new Set(ids)
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
    expect(twice).toEqual([])
    for (const label of all(page, 'label')) expect(known).toContain(label.for ?? '')
    for (const one of all(page, '[aria-describedby]'))
      for (const id of (one['aria-describedby'] ?? '').split(' ')) expect(known).toContain(id)
  })
  test('a page has one main, one h1, a language, a skip link and a title', () => {
    expect(all(page, 'main')).toHaveLength(1)
    expect(all(page, 'html')).toEqual([{ lang: 'en' }])
    expect(all(page, 'a.skip')).toEqual([{ class: 'skip', href: '#content' }])
    expect(page).toContain('<title>Parts · Hearth</title>')
  })
  test('anonymous visitors see a sign-in link and no menu', () => {
    const out = html(<Layout title="Hearth" viewer={null} />)
    expect(out).toContain('href="/login"')
    expect(out).not.toContain('/logout')
    expect(out).toContain('<title>Hearth</title>')
    expect(html(<Layout title="x" theme="dark" />)).toContain('<html lang="en" data-theme="dark">')
  })
})
