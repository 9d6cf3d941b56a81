// A part of a conversation, with the description above it and links to the other parts.
import { COMMENT_ICONS, Icon, IconDrawings, Timeline } from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { t } from '../../text.ts'
import { partLinks, type ConversationPart } from './conversation-part.ts'

type PartProps = { readonly here: string; readonly part: ConversationPart }

const Earlier = ({ here, part }: PartProps) => {
  const { beginning, earlier } = partLinks(here, part)
  return earlier === null || beginning === null ? null : (
    <li class="timeline-more">
      <nav class="pagination" aria-label={t('Earlier parts of the conversation')}>
        <a class="btn btn-plain" href={beginning}>
          {t('Beginning')}
        </a>
        <a class="btn btn-plain" href={earlier} rel="prev">
          <Icon name="arrow-up" />
          <span>{t('Earlier')}</span>
        </a>
      </nav>
    </li>
  )
}

const Later = ({ here, part }: PartProps) => {
  const { later, last } = partLinks(here, part)
  return later === null || last === null ? null : (
    <li class="timeline-more">
      <nav class="pagination" aria-label={t('Later parts of the conversation')}>
        <a class="btn btn-plain" href={later} rel="next">
          <Icon name="arrow-down" />
          <span>{t('Later')}</span>
        </a>
        <a class="btn btn-plain" href={last}>
          {t('Latest')}
        </a>
      </nav>
    </li>
  )
}

/** `first` is what the conversation is about. Each item has its place in the conversation. */
export const Conversation = ({
  here,
  part,
  first,
  items,
}: PartProps & {
  readonly first: Child
  readonly items: readonly { readonly place: string; readonly item: Child }[]
}) => (
  <>
    <Timeline isPart={part.earlier !== null || part.later !== null}>
      {first}
      <Earlier here={here} part={part} />
      {items.toSorted((a, b) => (a.place < b.place ? -1 : 1)).map(({ item }) => item)}
      <Later here={here} part={part} />
    </Timeline>
    {/* Below, because the space between two elements belongs to the second. */}
    <IconDrawings names={COMMENT_ICONS} />
  </>
)
