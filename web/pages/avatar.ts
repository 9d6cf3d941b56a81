import { actorOf } from '#features/accounts/index.ts'
import { avatarFile } from '../components/avatar.tsx'
import type { Resource } from '../site.ts'

/**
 * The avatar of a user, agent or workspace, drawn from the name. `avatar_url` of every record
 * points here.
 */
export const avatar: Resource = {
  path: '/avatars/:file',
  async respond({ hearth, params }) {
    const id = (params.file ?? '').replace(/\.svg$/, '')
    return new Response(avatarFile(actorOf(hearth, id)), {
      headers: {
        'content-type': 'image/svg+xml',
        'cache-control': 'public, max-age=3600',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'access-control-allow-origin': '*',
      },
    })
  },
}
