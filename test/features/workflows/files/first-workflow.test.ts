import { expect, test } from 'bun:test'
import { parseWorkflow } from '#src/actions/parse-workflow.ts'
import { FIRST_WORKFLOW } from '#features/workflows/index.ts'

test('the workflow that a new file begins with is one that runs', () => {
  const { problems } = parseWorkflow(FIRST_WORKFLOW, '.hearth/workflows/test.yml')
  expect(problems).toEqual([])
})
