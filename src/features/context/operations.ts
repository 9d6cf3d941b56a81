export { lookupTicket } from './lookup-ticket.ts'
