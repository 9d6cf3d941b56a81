// Avatars of users, workspaces and agents, drawn from the name, so that no other server is asked
// and a name looks the same everywhere. A user is an initial in a circle, a workspace an initial in
// a square, an agent a small symmetric pattern.
import { HUES, hueOfName, labelColors } from '../palette.ts'
import { hashText } from '../format.ts'
import { userPath } from '../paths.ts'
import { rich, t } from '../text.ts'

/** The fields of an actor that pages show. Any record with them will do. */
export interface ActorSummary {
  id?: string
  username: string
  kind?: 'user' | 'agent' | 'workspace' | (string & {})
  name?: string | null
  on_behalf_of?: { username: string } | null
}

const initialOf = (name: string): string => {
  const first = Array.from(name.replace(/[^\p{L}\p{N}]+/gu, ''))[0]
  return (first ?? '?').toUpperCase()
}

/** Five by five cells, mirrored about the middle column, as one path. */
const patternOf = (name: string): string => {
  let bits = hashText(name) ^ (hashText(`${name}/`) << 1)
  let path = ''
  for (let row = 0; row < 5; row++) {
    for (let column = 0; column < 3; column++) {
      if (bits & 1) {
        path += `M${3 + column * 2} ${3 + row * 2}h2v2h-2z`
        if (column < 2) path += `M${3 + (4 - column) * 2} ${3 + row * 2}h2v2h-2z`
      }
      bits = (bits >>> 1) | ((bits & 1) << 31)
    }
  }
  return path || 'M5 5h6v6H5z'
}

/**
 * An avatar. It is decoration beside a name and hidden from screen readers unless `label` is set.
 */
export const Avatar = ({
  of,
  size = 20,
  label,
}: {
  of: ActorSummary
  size?: number
  label?: boolean
}) => {
  const kind = of.kind ?? 'user'
  const hue = hueOfName(of.username) % HUES
  return (
    <svg
      class={['avatar', `hue-${hue}`]}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      role={label ? 'img' : undefined}
      aria-label={label ? of.username : undefined}
      aria-hidden={label ? undefined : 'true'}
    >
      {kind === 'user' ? (
        <circle class="avatar-back" cx="8" cy="8" r="8" />
      ) : (
        <rect class="avatar-back" width="16" height="16" rx="4" />
      )}
      {kind === 'agent' ? (
        <path class="avatar-ink" d={patternOf(of.username)} />
      ) : (
        <text
          class="avatar-ink"
          x="8"
          y="8.2"
          text-anchor="middle"
          dominant-baseline="central"
          font-size="8.5"
          font-weight="600"
        >
          {initialOf(of.name ?? of.username)}
        </text>
      )}
    </svg>
  )
}

/** The avatar as an SVG file with its own colours, for clients that show `avatar_url`. */
export const avatarFile = (of: ActorSummary): string => {
  const back = `#${labelColors[hueOfName(of.username) % HUES] ?? '8a8178'}`
  const shape =
    (of.kind ?? 'user') === 'user'
      ? `<circle cx="8" cy="8" r="8" fill="${back}"/>`
      : `<rect width="16" height="16" rx="4" fill="${back}"/>`
  const ink =
    of.kind === 'agent'
      ? `<path d="${patternOf(of.username)}" fill="#fff"/>`
      : `<text x="8" y="8.2" text-anchor="middle" dominant-baseline="central" font-family="sans-serif" font-size="8.5" font-weight="600" fill="#fff">${Bun.escapeHTML(initialOf(of.name ?? of.username))}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="160" height="160">${shape}${ink}</svg>`
}

/** Issues from events of other services have an integration as their author. */
const isIntegration = ({ id }: ActorSummary): boolean => id?.startsWith('itg_') === true

/**
 * The linked name of an actor with its avatar. An agent has a mark and the name of its owner. Null
 * is the system itself.
 */
export const ActorLink = ({
  of,
  size = 20,
  face = true,
}: {
  of: ActorSummary | null
  size?: number
  face?: boolean
}) => {
  if (!of) return <span class="person">Hearth</span>
  if (of.username === 'ghost')
    return (
      <span class="person">
        {face && <Avatar of={of} size={size} />} {t('ghost')}
      </span>
    )
  // People of another forge have no page here. No account has a name with a space.
  if (of.username.includes(' '))
    return (
      <span class="person">
        {face && <Avatar of={of} size={size} />} <bdi>{of.username}</bdi>
      </span>
    )
  return (
    <span class="person">
      {face && <Avatar of={of} size={size} />}
      <a href={userPath(of.username)}>{of.username}</a>
      {of.kind === 'agent' && (
        <span class="chip chip-agent">{isIntegration(of) ? t('integration') : t('agent')}</span>
      )}
      {of.kind === 'agent' && of.on_behalf_of && (
        <span class="muted">{rich('for {username}', { username: of.on_behalf_of.username })}</span>
      )}
    </span>
  )
}

/**
 * Several avatars in a row, each with its name for screen readers. Those beyond `max` are counted.
 */
export const AvatarStack = ({
  people,
  max = 3,
  size = 20,
}: {
  people: readonly ActorSummary[]
  max?: number
  size?: number
}) =>
  people.length === 0 ? null : (
    <span class="avatar-stack">
      {people.slice(0, max).map((person) => (
        <Avatar of={person} size={size} label />
      ))}
      {people.length > max && <span class="muted small">+{people.length - max}</span>}
    </span>
  )
