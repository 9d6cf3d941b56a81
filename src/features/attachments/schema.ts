/** Schemas of attachments. */
import { Actor, Id, ListOf, Time, Type, type Static } from '#core/schema.ts'

export const Attachment = Type.Object(
  {
    id: Id('att'),
    name: Type.String({ description: 'The name of the file.' }),
    content_type: Type.String(),
    size_in_bytes: Type.Integer(),
    sha256: Type.String({ description: 'The SHA-256 of its bytes, 64 lowercase hex digits.' }),
    url: Type.String({
      description:
        'Answers ranges. A private one needs the token of somebody who may read the text.',
    }),
    markdown: Type.String({
      description: 'What to write into a text: a picture, or a link to another file.',
    }),
    created_by: Actor,
    created_at: Time,
  },
  {
    $id: 'Attachment',
    description: 'A file in a text: a description, a comment, a review, the notes of a release.',
  },
)
export type Attachment = Static<typeof Attachment>
export const Attachments = ListOf(Attachment)

export const AttachmentId = Type.String({
  maxLength: 100,
  description: 'The id of an attachment.',
})
