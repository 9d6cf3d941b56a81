import { expect, test } from 'bun:test'
import { DocsPage, type Docs } from '#web/pages/docs.tsx'
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

test('every operation has its address, inputs, output and an example, all escaped', () => {
  const appearance = { theme: 'system', diffColours: 'usual' }
  const visit = { viewer: null, csrf: 'x', flash: null, appearance } as unknown as Visit
  const html = String(<DocsPage docs={docs} visit={visit} />)
  expect(html).toContain('id="create_issue"')
  expect(html).toContain('POST /v1/repos/{owner}/{name}/issues')
  expect(html).toContain('Opens an issue &lt;with care&gt;.')
  expect(html).toContain('href="#record-Issue"')
  expect(html).toContain('id="record-Issue"')
  expect(html).toContain('curl -d &#x27;{&quot;title&quot;')
  expect(html).toContain('href="#issues"')
})
