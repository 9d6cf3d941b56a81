import { expect, test } from 'bun:test'
import { DocsPage, DocsPartPage, type Docs } from '#web/pages/docs.tsx'
import type { Visit } from '#web/site.ts'

const docs: Docs = {
  base_url: 'https://hearth.test/api',
  release: '1.2.3',
  description: 'What there is.',
  groups: [
    {
      id: 'issues',
      name: 'Issues',
      description: 'What should change.',
      operations: [
        {
          id: 'create_issue',
          method: 'POST',
          path: '/v1/repos/{owner}/{name}/issues',
          summary: 'Opens an issue <with care>.',
          who: 'Needs an account.',
          status: '200',
          answer: 'Issue',
          inputs: [
            {
              name: 'title',
              place: 'body',
              type: 'string',
              required: true,
              description: 'One line.',
            },
          ],
          tool: 'create_issue',
          preview: true,
          curl: `curl -d '{"title":"…"}' "https://hearth.test/api/v1"`,
        },
      ],
    },
  ],
  records: [
    {
      name: 'Issue',
      description: 'A record.',
      fields: [{ name: 'number', type: 'integer', description: '' }],
    },
  ],
}

const appearance = { theme: 'system', diffColours: 'usual' }
const visit = { viewer: null, csrf: 'x', flash: null, appearance } as unknown as Visit

test('the overview names every operation and leads to its part', () => {
  const html = String(<DocsPage docs={docs} visit={visit} />)
  expect(html).toContain('POST /v1/repos/{owner}/{name}/issues')
  expect(html).toContain('href="/docs/reference/issues#create_issue"')
})

test('every operation has its address, inputs, output and an example, all escaped', () => {
  const html = String(<DocsPartPage docs={docs} visit={visit} part="issues" />)
  expect(html).toContain('id="create_issue"')
  expect(html).toContain('POST /v1/repos/{owner}/{name}/issues')
  expect(html).toContain('Opens an issue &lt;with care&gt;.')
  expect(html).toContain('href="/docs/reference/records-1#record-Issue"')
  expect(html).toContain('curl -d &#x27;{&quot;title&quot;')
  const records = String(<DocsPartPage docs={docs} visit={visit} part="records-1" />)
  expect(records).toContain('id="record-Issue"')
  expect(DocsPartPage({ docs, visit, part: 'nothing' })).toBeNull()
})
