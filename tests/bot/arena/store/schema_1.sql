-- A data folder of version 0.1 with one running game: Anna, who is to move, had thought for 30 s;
-- "aIpha" and "alpha" were two players then.
CREATE TABLE accounts (
	name VARCHAR NOT NULL, folded_name VARCHAR NOT NULL, kind VARCHAR NOT NULL,
	secret_hash VARCHAR, engine VARCHAR, created_at VARCHAR NOT NULL, seen_at VARCHAR NOT NULL,
	PRIMARY KEY (name), UNIQUE (folded_name), UNIQUE (secret_hash)
);
INSERT INTO "accounts" VALUES('Anna','anna','person','13cb7d6e2b6e7d1a8a7e6d2a',NULL,'2026-01-01T00:00:00.000000+00:00','2026-01-01T00:00:00.000000+00:00');
INSERT INTO "accounts" VALUES('Ben','ben','person','b709f3f743b8c819b1784cdd',NULL,'2026-01-01T00:00:00.000000+00:00','2026-01-01T00:00:00.000000+00:00');
INSERT INTO "accounts" VALUES('alpha','alpha','person','1',NULL,'2026-01-01T00:00:01.000000+00:00','2026-01-01T00:00:00.000000+00:00');
INSERT INTO "accounts" VALUES('aIpha','aipha','person','2',NULL,'2026-01-01T00:00:02.000000+00:00','2026-01-01T00:00:00.000000+00:00');
CREATE TABLE facts (name VARCHAR NOT NULL, value VARCHAR NOT NULL, PRIMARY KEY (name));
INSERT INTO "facts" VALUES('alive_at','2026-01-01T00:00:30.000000+00:00');
CREATE TABLE games (
	id VARCHAR NOT NULL, setup TEXT NOT NULL, players TEXT NOT NULL, player_1 VARCHAR NOT NULL,
	player_2 VARCHAR NOT NULL, running BOOLEAN NOT NULL, revision INTEGER NOT NULL,
	plies INTEGER NOT NULL, draw_offer INTEGER, banked_ms INTEGER NOT NULL,
	thinking_since VARCHAR, result TEXT, created_at VARCHAR NOT NULL, ended_at VARCHAR, record TEXT,
	PRIMARY KEY (id),
	FOREIGN KEY(player_1) REFERENCES accounts (name) ON UPDATE CASCADE,
	FOREIGN KEY(player_2) REFERENCES accounts (name) ON UPDATE CASCADE
);
INSERT INTO "games" VALUES('T3CQFUvRyqzK','{"game":"bluestone","board":"pent-3","rules":"official","options":{},"clock":{"kind":"fischer","initial_s":300.0,"increment_s":5.0},"rated":false}','[{"name":"Anna","kind":"person","engine":null},{"name":"Ben","kind":"person","engine":null}]','Anna','Ben',1,3,2,NULL,250,'2026-01-01T00:00:00.000000+00:00',NULL,'2026-01-01T00:00:00.000000+00:00',NULL,NULL);
INSERT INTO "games" VALUES('finished','{"game":"bluestone","board":"pent-3","rules":"official","options":{},"clock":{"kind":"none"},"rated":false}','[{"name":"Old","kind":"guest","engine":null},{"name":"Ben","kind":"person","engine":null}]','Anna','Ben',0,3,0,NULL,0,NULL,'{"winner":2,"reason":"resignation","message":"Old resigned."}','2026-01-01T00:00:00.000000+00:00','2026-01-01T00:00:09.000000+00:00','{"id":"finished","platform":"arena","game":"bluestone","board":"pent-3","rules":"official","clock":{"kind":"none"},"players":[{"name":"Old","kind":"guest"},{"name":"Ben","kind":"person"}],"started_at":"2026-01-01T00:00:00Z","software":"bluestone-arena 0.1.0"}');
CREATE TABLE turns (
	game_id VARCHAR NOT NULL, ply INTEGER NOT NULL, played TEXT NOT NULL,
	PRIMARY KEY (game_id, ply), FOREIGN KEY(game_id) REFERENCES games (id)
);
INSERT INTO "turns" VALUES('T3CQFUvRyqzK',0,'{"turn":"0-0","captured":[],"time_ms":0,"clock":{"main_ms":300000,"periods":0,"period_used_ms":0,"flagged":false},"info":null}');
INSERT INTO "turns" VALUES('T3CQFUvRyqzK',1,'{"turn":"2-0,2-2","captured":[],"time_ms":0,"clock":{"main_ms":300000,"periods":0,"period_used_ms":0,"flagged":false},"info":null}');
CREATE INDEX games_ended ON games (ended_at);
CREATE INDEX games_running ON games (running);
PRAGMA user_version = 1;
