import type { Visit } from '../../site.ts'

/** Whether the site sends mail. Without it, administrators hand links on. */
export const sendsMail = ({ hearth }: Visit): boolean => hearth.settings.mail !== null
