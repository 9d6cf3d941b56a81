import { expect, test } from 'bun:test'
import { deleteProject } from '#features/workspaces/index.ts'
import { refusal } from '../../world.ts'
import { seeded } from './fixture.ts'

test('the columns replace the earlier ones, in their order', async () => {
  const { world, ada, bob, board, setColumns } = await seeded()
  const columns = [
    { name: 'Done', kind: 'closed' as const },
    { name: 'Bugs', kind: 'label' as const, label: 'bug' },
  ]
  await setColumns(columns, bob)
  expect((await board()).columns.map(({ name, label }) => [name, label])).toEqual([
    ['Done', null],
    ['Bugs', 'bug'],
  ])
  await world.call(deleteProject, ada, { workspace: 'acme', project: 'oven' })
  expect((await refusal(board())).status).toBe(404)
})

test('columns that cannot be told apart are refused, and the board stays', async () => {
  const { out, board, setColumns } = await seeded()
  const open = { name: 'Open', kind: 'open' as const }
  const bugs = { name: 'Bugs', kind: 'label' as const, label: 'bug' }
  for (const [second, field] of [
    [{ ...open, name: 'Again' }, 'columns[1].kind'],
    [{ ...bugs, name: 'open' }, 'columns[1].name'],
    [{ name: 'No label', kind: 'label' as const }, 'columns[1].label'],
    [{ name: 'Closed', kind: 'closed' as const, label: 'bug' }, 'columns[1].label'],
    [{ name: 'Commas', kind: 'label' as const, label: 'a,b' }, 'columns[1].label'],
  ] as const)
    expect((await refusal(setColumns([open, second]))).field).toBe(field)
  expect((await refusal(setColumns([bugs, { ...bugs, name: 'More', label: 'BUG' }]))).field).toBe(
    'columns[1].label',
  )
  expect((await refusal(setColumns([open], out))).status).toBe(404)
  expect((await board()).columns.map(({ name }) => name)).toEqual(['To do', 'In progress', 'Done'])
})
