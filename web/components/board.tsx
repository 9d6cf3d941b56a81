// A board: cards in columns. A form on each card moves it to another column; the browser script
// sends the same form when a card is dragged.
import type { Child } from '../jsx/html.ts'
import { t } from '../text.ts'
import { AvatarStack, type ActorSummary } from './avatar.tsx'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { CsrfField } from './form.tsx'
import { Labels, type LabelSummary } from './label.tsx'

export type BoardCard = {
  /** Unique on the page. */
  readonly id: string
  readonly href: string
  readonly title: string
  /** Which issue it is, such as "#12". */
  readonly reference: string
  readonly labels: readonly LabelSummary[]
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
  /** Whether there are more cards than these. */
  readonly more?: boolean
}

type BoardProps = {
  readonly columns: readonly BoardColumn[]
  /** Where the forms of the cards are sent, with the fields of the card and `from` and `to`. */
  readonly action: string
  readonly csrf: string
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

const MoveForm = ({ card, column, columns, action, csrf }: CardProps) => (
  <form class="board-move" action={action} method="post" data-once>
    <CsrfField csrf={csrf} />
    {Object.entries(card.fields ?? {}).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    <input type="hidden" name="from" value={column.value} />
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
    <Button small variant="quiet" label={t('Move {reference}', { reference: card.reference })}>
      {t('Move')}
    </Button>
    <OrderButtons card={card} column={column} />
  </form>
)

type CardProps = BoardProps & { readonly card: BoardCard; readonly column: BoardColumn }

const CardItem = (props: CardProps) => {
  const { card } = props
  const mayMove = card.fields !== null
  return (
    <li
      class="board-card"
      id={card.id}
      data-card={mayMove}
      data-card-key={card.key}
      draggable={mayMove ? 'true' : undefined}
    >
      <a class="row-link" dir="auto" href={card.href}>
        {card.title}
      </a>
      <p class="row-meta">
        <span>{card.reference}</span> <Labels labels={card.labels} />{' '}
        <AvatarStack people={card.assignees} />
      </p>
      {mayMove && <MoveForm {...props} />}
    </li>
  )
}

/** A region that scrolls by itself, so that it is in the tab order. */
export const Board = (props: BoardProps) => (
  <section class="board" aria-label={t('Board')} tabindex="0">
    {props.columns.map((column, index) => (
      <section class="board-column" data-column={column.value} aria-labelledby={`column-${index}`}>
        <h2 id={`column-${index}`}>
          {column.href === null ? column.title : <a href={column.href}>{column.title}</a>}{' '}
          <span class="muted nums">
            {column.cards.length}
            {column.more && '+'}
          </span>
        </h2>
        <ul>
          {column.cards.map((card) => (
            <CardItem {...props} card={card} column={column} />
          ))}
        </ul>
      </section>
    ))}
  </section>
)
