// The notifications part of an issue or pull request: its mentions, and the viewer's subscription.
import { lowestIdAt } from '#core/ids.ts'
import {
  getIssueSubscription,
  listCrossReferences,
  type CrossReference,
  type IssueSubscription,
} from '#features/notifications/index.ts'
import { htmlBytes, TimelineEvent } from '../../components/index.ts'
import type { Visit } from '../../site.ts'
import {
  isInPart,
  placeOf,
  type ConversationPart,
  type OtherItem,
} from '../issues/conversation-part.ts'
import { localPath } from '../../paths.ts'
import { rich } from '../../text.ts'

export type IssueNotifications = {
  readonly mentions: readonly CrossReference[]
  readonly subscription: IssueSubscription | null
}

export async function loadIssueNotifications(
  visit: Visit,
  repo: string,
  number: number,
): Promise<IssueNotifications> {
  const [mentions, subscription] = await Promise.all([
    visit.call(listCrossReferences, { repo, target: String(number) }),
    visit.viewer ? visit.tryCall(getIssueSubscription, { repo, number }) : null,
  ])
  return { mentions: mentions.items, subscription }
}

const MentionedItem = ({ reference, repo }: { reference: CrossReference; repo: string }) => (
  <TimelineEvent icon="link" actor={reference.actor} at={reference.created_at}>
    {rich('mentioned this in {a}', {
      a: (
        <a href={localPath(reference.html_url)}>
          {reference.repo === repo ? '' : reference.repo}#{reference.number} {reference.title}
        </a>
      ),
    })}
  </TimelineEvent>
)

const MENTION_BYTES = 600

const placeOfMention = ({ created_at }: CrossReference): string =>
  placeOf(lowestIdAt('evt', created_at))

/** The mentions, for the division of the conversation into parts. */
export const placedMentions = ({ mentions }: IssueNotifications): OtherItem[] =>
  mentions.map((reference) => ({
    place: placeOfMention(reference),
    ids: [],
    bytes: MENTION_BYTES + htmlBytes(reference.title),
  }))

/** The mentions in a part of the conversation. */
export const mentionItems = (
  { mentions }: IssueNotifications,
  repo: string,
  part: ConversationPart,
) =>
  mentions
    .map((reference) => ({
      place: placeOfMention(reference),
      item: <MentionedItem reference={reference} repo={repo} />,
    }))
    .filter(({ place }) => isInPart(part, place))
