/** Records of boards of projects. */
import { Actor, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { Assignee, ISSUE_STATES, LabelNameInput } from '#features/issues/index.ts'

export const COLUMN_KINDS = ['open', 'label', 'closed'] as const
export type ColumnKind = (typeof COLUMN_KINDS)[number]

export const MAX_COLUMNS = 20
/** Cards of one column that can be put in order by hand. */
export const MAX_ORDERED_CARDS = 200
/** The cards of a column are counted up to so many. */
export const MAX_COUNTED_CARDS = 1_000
export const ColumnName = Type.String({ minLength: 1, maxLength: 50 })

const kindDescription =
  'open: open issues that are in no other column. label: open issues with the label. closed: closed issues.'

export const ColumnInput = Type.Object({
  name: ColumnName,
  kind: OneOf(COLUMN_KINDS, { description: kindDescription }),
  label: Type.Optional(LabelNameInput),
})

export const Card = Type.Object(
  {
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    number: Type.Integer(),
    title: Type.String(),
    state: OneOf(ISSUE_STATES),
    labels: Type.Array(Type.Object({ name: Type.String(), color: Type.String() })),
    assignees: Type.Array(Assignee),
    milestone: Nullable(Type.String({ description: 'Its title.' })),
    author: Actor,
    comments_count: Type.Integer(),
    can_move: Type.Boolean({ description: 'Whether you can move it to another column.' }),
    html_url: Type.String(),
    updated_at: Time,
  },
  { $id: 'ProjectCard', description: 'An issue on the board of a project.' },
)
export type Card = Static<typeof Card>

export const BoardColumn = Type.Object({
  name: Type.String(),
  kind: OneOf(COLUMN_KINDS, { description: kindDescription }),
  label: Nullable(Type.String({ description: 'The label of a column of kind label.' })),
  cards: Type.Array(Card, {
    description: 'Those that were put in order by hand, then the last changed first.',
  }),
  more: Type.Boolean({ description: 'Whether there are more cards than these.' }),
  cards_count: Type.Integer({
    description: `How many cards it has; ${MAX_COUNTED_CARDS} stands for that many or more.`,
  }),
})
export type BoardColumn = Static<typeof BoardColumn>

export const ProjectBoard = Type.Object(
  {
    project: Type.String({ description: 'The slug of the project.' }),
    columns: Type.Array(BoardColumn),
  },
  {
    $id: 'ProjectBoard',
    description: 'Issues of the repositories of a project that you can see, in columns.',
  },
)
export type ProjectBoard = Static<typeof ProjectBoard>

export const ProjectColumns = Type.Object(
  {
    project: Type.String({ description: 'The slug of the project.' }),
    columns: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: OneOf(COLUMN_KINDS),
        label: Nullable(Type.String()),
      }),
    ),
  },
  { $id: 'ProjectColumns', description: 'The columns of the board of a project.' },
)
