// The reactions to a comment or a description: each given one is a button that adds or removes the viewer's own, and
// a menu has the others.
import { REACTIONS, type ReactionCounts } from '#features/issues/index.ts'
import {
  CsrfField,
  Dropdown,
  Icon,
  reactionNames,
  Reactions,
  reactionSigns,
} from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

/** `action` is the address that takes a reaction, for visitors who may react. */
export const ReactionBar = ({
  reactions,
  action,
  visit,
  mayReact,
  sharedIcons,
}: {
  reactions: ReactionCounts
  action: string
  visit: Visit
  mayReact: boolean
  sharedIcons?: boolean
}) => {
  if (!mayReact) return <Reactions reactions={reactions} />
  const given = REACTIONS.filter((content) => reactions[content] > 0)
  const button = (content: (typeof REACTIONS)[number], count?: number) => {
    const name = reactionNames[content] ?? content
    return (
      <button
        type="submit"
        name="content"
        value={content}
        class="reaction"
        aria-label={count === undefined ? t('React with {name}', { name }) : `${name}, ${count}`}
      >
        {reactionSigns[content]} {count}
      </button>
    )
  }
  return (
    <form class="reactions" action={action} method="post" data-once>
      <CsrfField csrf={visit.csrf} />
      {given.map((content) => button(content, reactions[content]))}
      <Dropdown
        class="reaction-more"
        label={t('Add a reaction')}
        align="left"
        summary={<Icon name="smile" shared={sharedIcons} />}
        sharedIcons={sharedIcons}
      >
        <div class="reaction-choice">{REACTIONS.map((content) => button(content))}</div>
      </Dropdown>
    </form>
  )
}
