import { expect, test } from 'bun:test'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'

function warningsOf(on: string, step: string): string[] {
  const text = `on: ${on}\njobs:\n  a:\n    runs-on: x\n    steps:\n      - ${step}\n`
  const { workflow, problems } = parseWorkflow(text, 'a.yml')
  if (!workflow) throw new Error(JSON.stringify(problems))
  return workflow.warnings.map(({ line, column, text }) => `${line}:${column} ${text}`)
}

test.each([
  'github.event.issue.title',
  'github.event.issue.body',
  'github.event.comment.body',
  'github.event.review.body',
  'github.event.pull_request.title',
  'github.event.pull_request.head.ref',
  'github.event.head_commit.message',
  'github.event.commits[0].author.name',
  'github.event.workflow_run.head_branch',
  'github.head_ref',
  "format('{0}', github.event.comment.body)",
])('%s in a script is a warning, in env it is none', (expression) => {
  const [warning, ...others] = warningsOf('issues', `run: echo "\${{ ${expression} }}"`)
  expect(warning).toStartWith('6:9 Others choose the text of ')
  expect(others).toEqual([])
  expect(
    warningsOf('issues', `{ run: echo "$TEXT", env: { TEXT: "\${{ ${expression} }}" } }`),
  ).toEqual([])
})

test('values that nobody else chooses are no warning', () => {
  for (const expression of ['github.sha', 'github.event.issue.number', 'github.ref_name'])
    expect(warningsOf('issues', `run: echo "\${{ ${expression} }}"`)).toEqual([])
})

test('a step that reads all secrets is a warning', () => {
  expect(warningsOf('push', '{ run: x, env: { ALL: "${{ toJSON(secrets) }}" } }')).toEqual([
    '6:9 This step reads all secrets at once; name the ones that it needs',
  ])
  expect(warningsOf('push', '{ run: x, env: { ONE: "${{ secrets.ONE }}" } }')).toEqual([])
})

test('pull_request_target with code of the pull request is a warning', () => {
  const step = (ref: string) => `{ uses: actions/checkout@v4, with: { ref: "${ref}" } }`
  const head = step('${{ github.event.pull_request.head.sha }}')
  expect(warningsOf('pull_request_target', head)).toHaveLength(1)
  expect(warningsOf('pull_request', head)).toEqual([])
  expect(warningsOf('pull_request_target', step('main'))).toEqual([])
  expect(warningsOf('pull_request_target', 'uses: actions/checkout@v4')).toEqual([])
})
