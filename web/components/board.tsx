// A board: cards in columns. A form on each card moves it to another column; the browser script
// sends the same form when a card is dragged.
import type { Child } from '../jsx/html.ts'
import { withQuery } from '../paths.ts'
import { t } from '../text.ts'
import { AvatarStack, type ActorSummary } from './avatar.tsx'
import { Button, LinkButton } from './button.tsx'
import { Icon } from './icon.tsx'
import { CsrfField } from './form.tsx'
import { Labels, type LabelSummary } from './label.tsx'
import { FieldPicker, withChosen, type PickerSearch } from './picker.tsx'
import { htmlBytes } from './text-beginning.tsx'

export type BoardCard = {
  /** Unique on the page. */
  readonly id: string
  readonly href: string
  readonly title: string
  /** Which issue it is, such as "#12". */
  readonly reference: string
  readonly labels: readonly LabelSummary[]
  /** How many labels are left out. */
  readonly moreLabels?: number
  readonly assignees: readonly ActorSummary[]
  /** Its name in `place`, on boards whose cards have an order. */
  readonly key?: string
  /** Hidden fields of the form that moves it. Null when the reader may not move it. */
  readonly fields: Readonly<Record<string, string>> | null
}

export type BoardColumn = {
  readonly value: string
  readonly title: Child
  /** The title without markup. */
  readonly name: string
  readonly href: string | null
  readonly cards: readonly BoardCard[]
  /** How many cards it has, where the board shows some of them; as text, since very many are not counted. */
  readonly total?: string
  /** Where the other cards are. */
  readonly more?: { readonly href: string; readonly label: string } | null
}

type BoardProps = {
  readonly columns: readonly BoardColumn[]
  /** The value of the only column that is shown; cards can go to the others, too. */
  readonly only?: string | null
  /** Where the forms of the cards are sent, with the fields of the card and `from` and `to`. */
  readonly action: string
  readonly csrf: string
  /** The address of the board with the form of one card, by its id. */
  readonly moveHref: (card: string) => string
  /** The id of the card whose form is shown though the board is large. */
  readonly moving: string | null
  /** Where cards can go when the board has not all columns: those that were found. */
  readonly targets?: BoardTargets | undefined
}

export type BoardTargets = PickerSearch & {
  readonly items: readonly Pick<BoardColumn, 'value' | 'name'>[]
}

const CARD_BYTES = 450
const ASSIGNEE_BYTES = 270
const MAX_FACES = 3
/** How often the HTML of a card names its issue. */
const REFERENCES = 6

/** Each card of a small board has its form; on a large one these would be most of the page. */
const MAX_FORMS = 30
const MAX_CHOICES = 200

function isLarge({ columns, targets }: BoardProps): boolean {
  const cards = columns.reduce((sum, column) => sum + column.cards.length, 0)
  return targets !== undefined || cards > MAX_FORMS || cards * columns.length > MAX_CHOICES
}

/** `place` says before or after which card of the column a card goes. */
const OrderButtons = ({ card, column }: Pick<CardProps, 'card' | 'column'>) => {
  const at = column.cards.indexOf(card)
  const [above, below] = [column.cards[at - 1]?.key, column.cards[at + 1]?.key]
  const { reference } = card
  return card.key === undefined ? null : (
    <>
      {above !== undefined && (
        <Button
          small
          variant="quiet"
          icon="arrow-up"
          name="place"
          value={`before ${above}`}
          label={t('Move {reference} up', { reference })}
        />
      )}
      {below !== undefined && (
        <Button
          small
          variant="quiet"
          icon="arrow-down"
          name="place"
          value={`after ${below}`}
          label={t('Move {reference} down', { reference })}
        />
      )}
    </>
  )
}

const ColumnSelect = ({ card, column, columns }: CardProps) => (
  <span class="select">
    <select
      class="input"
      name="to"
      aria-label={t('Column of {reference}', { reference: card.reference })}
    >
      {columns.map(({ value, name }) => (
        <option value={value} selected={value === column.value}>
          {name}
        </option>
      ))}
    </select>
    <Icon name="chevron-down" />
  </span>
)

const ColumnPicker = ({
  card,
  column,
  targets,
}: Pick<CardProps, 'card' | 'column'> & { targets: BoardTargets }) => {
  const optionOf = ({ value, name }: Pick<BoardColumn, 'value' | 'name'>) => ({
    value,
    label: name,
    shown: <bdi>{name}</bdi>,
    chosen: value === column.value,
  })
  return (
    <>
      <FieldPicker
        single
        small
        align="left"
        name="to"
        label={t('Column of {reference}', { reference: card.reference })}
        summary={t('Column')}
        search={targets}
        options={withChosen(targets.items.map(optionOf), [optionOf(column)], targets)}
      />
      <p class="picker-chosen" data-picker-chosen aria-live="polite">
        <span>
          <bdi>{column.name}</bdi>
        </span>
      </p>
    </>
  )
}

const MoveForm = (props: CardProps) => (
  <form
    class="board-move"
    // The search of the picker shows the form of this card again.
    action={
      props.targets === undefined ? props.action : withQuery(props.action, { move: props.card.id })
    }
    method="post"
    data-once
  >
    <CsrfField csrf={props.csrf} />
    {Object.entries(props.card.fields ?? {}).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <input type="hidden" name="from" value={props.column.value} />
    {props.targets === undefined ? (
      <ColumnSelect {...props} />
    ) : (
      <ColumnPicker {...props} targets={props.targets} />
    )}
    <Button
      small
      variant="quiet"
      label={t('Move {reference}', { reference: props.card.reference })}
    >
      {t('Move')}
    </Button>
    <OrderButtons card={props.card} column={props.column} />
  </form>
)

/** Leads to the board with the form of this card. */
const MoveLink = ({ card, moveHref }: CardProps) => (
  <LinkButton
    href={`${moveHref(card.id)}#${card.id}`}
    small
    variant="quiet"
    label={t('Move {reference}', { reference: card.reference })}
  >
    {t('Move')}
  </LinkButton>
)

/** What a drop on a column sends; the script fills in the fields of the card. Nobody sees its button. */
const DropForm = ({ action, csrf }: Pick<BoardProps, 'action' | 'csrf'>) => (
  <form action={action} method="post" data-once data-board-drop hidden>
    <CsrfField csrf={csrf} />
    <Button>{t('Move')}</Button>
  </form>
)

type CardProps = BoardProps & {
  readonly card: BoardCard
  readonly column: BoardColumn
  readonly hasForm: boolean
}

const CardItem = (props: CardProps) => {
  const { card } = props
  const mayMove = card.fields !== null
  return (
    <li
      class="board-card"
      id={card.id}
      data-card={mayMove ? JSON.stringify(card.fields) : undefined}
      data-card-key={card.key}
      draggable={mayMove ? 'true' : undefined}
    >
      <a class="row-link" dir="auto" href={card.href}>
        {card.title}
      </a>
      <p class="row-meta">
        <span>{card.reference}</span> <Labels labels={card.labels} more={card.moreLabels ?? 0} />{' '}
        <AvatarStack people={card.assignees} max={MAX_FACES} />
      </p>
      {mayMove && (props.hasForm ? <MoveForm {...props} /> : <MoveLink {...props} />)}
    </li>
  )
}

/** The HTML of a card, as estimated, without its labels. */
export const cardBytes = (card: {
  readonly title: string
  readonly reference: string
  readonly assignees: readonly unknown[]
}): number =>
  CARD_BYTES +
  htmlBytes(card.title) +
  REFERENCES * htmlBytes(card.reference) +
  Math.min(card.assignees.length, MAX_FACES) * ASSIGNEE_BYTES

/** A region that scrolls by itself, so that it is in the tab order. */
export const Board = (props: BoardProps) => {
  const large = isLarge(props)
  const { columns, only = null } = props
  const shown = only === null ? columns : columns.filter(({ value }) => value === only)
  return (
    <section class="board" aria-label={t('Board')} tabindex="0">
      {shown.map((column, index) => (
        <section
          class="board-column"
          data-column={column.value}
          aria-labelledby={`column-${index}`}
        >
          <h2 id={`column-${index}`}>
            {column.href === null ? column.title : <a href={column.href}>{column.title}</a>}{' '}
            <span class="muted nums">{column.total ?? column.cards.length}</span>
          </h2>
          <ul>
            {column.cards.map((card) => (
              <CardItem
                {...props}
                card={card}
                column={column}
                hasForm={!large || card.id === props.moving}
              />
            ))}
          </ul>
          {column.more && (
            <p class="board-more">
              <a href={column.more.href}>{column.more.label}</a>
            </p>
          )}
        </section>
      ))}
      <DropForm action={props.action} csrf={props.csrf} />
    </section>
  )
}
