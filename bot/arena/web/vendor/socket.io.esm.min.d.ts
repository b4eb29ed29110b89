/** What the page uses of the Socket.IO client. `Events`: what the server tells, by name. */
export interface Socket<Events extends object> {
  /** Whether it comes back by itself. */
  readonly active: boolean;
  connect(): this;
  disconnect(): this;
  on(event: "disconnect", listener: (reason: string) => void): this;
  on(event: "connect_error", listener: (error: ConnectError) => void): this;
  on<Name extends keyof Events>(event: Name, listener: (message: Events[Name]) => void): this;
  timeout(ms: number): Pick<Socket<Events>, "emitWithAck">;
  /** Rejected when no acknowledgement comes in time. */
  emitWithAck(event: string, message: object): Promise<unknown>;
}

/** `data`: what the server says of a connection that it refuses. */
export interface ConnectError extends Error {
  data?: { code: string; message: string };
}

export interface Options {
  auth: object | ((give: (auth: object) => void) => void);
  autoConnect: boolean;
  path?: string;
  forceNew?: boolean;
  reconnection?: boolean;
  reconnectionDelay?: number;
  reconnectionDelayMax?: number;
  transports: string[];
}

export function io<Events extends object>(options: Options): Socket<Events>;
