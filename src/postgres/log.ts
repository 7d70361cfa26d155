/** The part of the program's log that the embedded database uses. */
export interface EmbeddedLog {
  info(message: string, fields?: object): unknown;
  warn(message: string, fields?: object): unknown;
  error(message: string, fields?: object): unknown;
}
