/** Whether a file name alone hints at a kind, for pickers that list folders without opening every file. */
export { kindOfName } from '../formats/names'
