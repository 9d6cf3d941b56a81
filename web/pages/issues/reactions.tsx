// The reactions to a comment: each given one is a button that adds or removes the viewer's own, and
// a menu has the others.
import { REACTIONS, type Comment } from '#features/issues/index.ts'
import { CsrfField, Dropdown, Icon, Reactions, reactionSigns } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'

/**
 * `here` is the address of the issue or pull request. Null without reactions when the visitor
 * cannot react.
 */
export const ReactionBar = ({
  comment,
  visit,
  here,
  mayReact,
}: {
  comment: Comment
  visit: Visit
  here: string
  mayReact: boolean
}) => {
  const action = `${here}/comments/${comment.id}/react`
  if (!mayReact) return <Reactions reactions={comment.reactions} />
  const given = REACTIONS.filter((content) => comment.reactions[content] > 0)
  const button = (content: (typeof REACTIONS)[number], count?: number) => (
    <button
      type="submit"
      name="content"
      value={content}
      class="reaction"
      aria-label={
        count === undefined ? t('React with {content}', { content }) : `${content}, ${count}`
      }
    >
      <span aria-hidden="true">{reactionSigns[content]}</span> {count}
    </button>
  )
  return (
    <form class="reactions" action={action} method="post" data-once>
      <CsrfField csrf={visit.csrf} />
      {given.map((content) => button(content, comment.reactions[content]))}
      <Dropdown
        class="reaction-more"
        label={t('Add a reaction')}
        align="left"
        summary={<Icon name="smile" size={16} />}
      >
        <div class="reaction-choice">{REACTIONS.map((content) => button(content))}</div>
      </Dropdown>
    </form>
  )
}
