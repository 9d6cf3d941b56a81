import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { avatarUrl } from './actors.ts'
import { PublicUser, Username } from '../schema.ts'
import { findUserRow } from '../store/users.ts'

export const getUser = operation({
  name: 'get_user',
  summary: 'Get a person by username: name, profile and picture. For anyone.',
  keywords: ['profile of a person', 'who is', 'look up a username'],
  route: 'GET /users/{username}',
  toolset: 'access',
  listed: 'default',
  access: publicRead(),
  input: Type.Object({ username: Username }),
  output: PublicUser,

  handler: ({ hearth, db }, { username }) => {
    const row = findUserRow(db, username.toLowerCase())
    if (!row) throw notFound(`the person ${username}`)
    return {
      id: row.id,
      kind: 'user' as const,
      username: row.username,
      name: row.name,
      avatar_url: avatarUrl(hearth, row.id),
      html_url: `${hearth.settings.site_url}/${row.username}`,
      bio: row.bio,
      company: row.company,
      location: row.location,
      website: row.website,
      pronouns: row.pronouns,
      // An unconfirmed address may belong to someone else.
      email: row.private_email === 0 && row.verified_at !== null ? row.email : null,
      created_at: row.created_at,
    }
  },
})
