-- Memory that machines share. Every change goes through `push`, which alone may write: it numbers changes, notes who
-- made them and keeps versions, so that no client can do otherwise.

CREATE TABLE workspaces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    title text NOT NULL DEFAULT '',
    seq bigint NOT NULL DEFAULT 0,
    channel text NOT NULL DEFAULT 'ms_' || replace(gen_random_uuid()::text, '-', ''),
    created_at timestamptz NOT NULL DEFAULT now(),
    created_by text NOT NULL DEFAULT session_user
);
COMMENT ON COLUMN workspaces.seq IS 'number of the latest change; its row lock makes numbers and commits follow one order';
COMMENT ON COLUMN workspaces.channel IS 'what to LISTEN to; not to be guessed, and another one when somebody leaves';

CREATE TABLE members (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    role text NOT NULL,
    may text NOT NULL CHECK (may IN ('read', 'write', 'admin')),
    name text NOT NULL DEFAULT '',
    since timestamptz NOT NULL DEFAULT now(),
    left_at timestamptz,
    PRIMARY KEY (workspace_id, role)
);
CREATE INDEX members_by_role ON members (role) WHERE left_at IS NULL;

CREATE TABLE memories (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id text NOT NULL,
    version integer NOT NULL,
    seq bigint NOT NULL,
    digest text NOT NULL,
    gone text CHECK (gone IN ('deleted', 'purged')),
    author text NOT NULL,
    claimed_by text NOT NULL,
    type text NOT NULL,
    category text,
    pinned boolean NOT NULL DEFAULT false,
    status text NOT NULL,
    name text NOT NULL CHECK (length(name) <= 1000),
    content text NOT NULL CHECK (length(content) <= 20000),
    agent text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(),
    details jsonb NOT NULL DEFAULT '{}' CHECK (pg_column_size(details) <= 500000),
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX memories_by_seq ON memories (workspace_id, seq);
COMMENT ON COLUMN memories.author IS 'role that wrote the words last';
COMMENT ON COLUMN memories.claimed_by IS 'role that last said what kind of memory it is: type, category, pinned';

CREATE TABLE memory_versions (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    memory_id text NOT NULL,
    version integer NOT NULL,
    change text NOT NULL,
    author text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    digest text NOT NULL,
    memory jsonb,
    PRIMARY KEY (workspace_id, memory_id, version)
);

CREATE TABLE audit (
    workspace_id bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    role text NOT NULL DEFAULT session_user,
    action text NOT NULL,
    subject text NOT NULL,
    version integer
);
CREATE INDEX audit_by_time ON audit (workspace_id, at);

CREATE TABLE sessions (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    machine text NOT NULL,
    id text NOT NULL,
    role text NOT NULL,
    agent text,
    working_on text,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, machine, id)
);

CREATE TABLE claims (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    item text NOT NULL,
    machine text NOT NULL,
    session_id text NOT NULL,
    role text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, item),
    FOREIGN KEY (workspace_id, machine, session_id) REFERENCES sessions ON DELETE CASCADE
);
CREATE INDEX claims_by_session ON claims (workspace_id, machine, session_id);

CREATE TABLE answers (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    content_hash text NOT NULL,
    recipe text NOT NULL,
    kind text NOT NULL,
    text text NOT NULL CHECK (length(text) <= 20000),
    author text NOT NULL DEFAULT session_user,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, content_hash, recipe)
);
COMMENT ON TABLE answers IS 'what models wrote and agents learned about a content: a cache, nothing is lost with it';

CREATE TABLE reminders (
    workspace_id bigint NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    id text NOT NULL CHECK (length(id) BETWEEN 1 AND 64),
    seq bigint NOT NULL,
    author text NOT NULL DEFAULT session_user,
    text text NOT NULL CHECK (length(text) <= 1000),
    at timestamptz NOT NULL CHECK (at BETWEEN '1970-01-01' AND '9999-12-31'),
    cleared_at timestamptz CHECK (isfinite(cleared_at)),
    delivered_for timestamptz,
    delivered_to text CHECK (length(delivered_to) <= 300),
    delivered_offline boolean NOT NULL DEFAULT false,
    memory_id text,
    stored_at timestamptz NOT NULL DEFAULT now(),
    details jsonb NOT NULL CHECK (pg_column_size(details) <= 10000),
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX reminders_by_seq ON reminders (workspace_id, seq);
COMMENT ON COLUMN reminders.delivered_for IS 'the time (`at`) for which the machine delivered_to showed it; the others do not';

-- The workspaces of whoever is connected. A policy asks it once for each statement, not for each row.
CREATE FUNCTION my_workspaces() RETURNS bigint[] LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = memory_sidecar, pg_temp
    AS $$ SELECT coalesce(array_agg(workspace_id), '{}') FROM members WHERE role = session_user AND left_at IS NULL $$;

CREATE FUNCTION is_owner() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = memory_sidecar, pg_temp
    AS $$ SELECT pg_has_role(session_user, nspowner, 'member') FROM pg_namespace WHERE nspname = 'memory_sidecar' $$;

CREATE FUNCTION check_may(workspace bigint, VARIADIC allowed text[]) RETURNS void LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path = memory_sidecar, pg_temp AS $$
BEGIN
    PERFORM 1 FROM members
        WHERE workspace_id = workspace AND role = session_user AND left_at IS NULL AND may = ANY (allowed);
    IF NOT FOUND THEN
        RAISE insufficient_privilege USING MESSAGE =
            format('the role %s is not allowed to do this in this workspace', session_user);
    END IF;
END $$;

-- Find or make a workspace and return its id. One error whether it does not exist or is closed to the role.
CREATE FUNCTION join_workspace(wanted text, called text, person text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = memory_sidecar, pg_temp AS $$
DECLARE
    found_id bigint;
    may_make boolean := is_owner() OR starts_with(wanted, 'own:' || session_user || ':');
BEGIN
    UPDATE members m SET name = person FROM workspaces w
        WHERE w.key = wanted AND m.workspace_id = w.id AND m.role = session_user AND m.left_at IS NULL
        RETURNING w.id INTO found_id;
    IF found_id IS NOT NULL THEN
        RETURN found_id;
    END IF;
    IF NOT may_make THEN
        SELECT pg_has_role(session_user, oid, 'member') INTO may_make
            FROM pg_roles WHERE rolname = 'memory_sidecar_creator';
    END IF;
    IF coalesce(may_make, false) THEN
        INSERT INTO workspaces (key, title) VALUES (wanted, called) ON CONFLICT (key) DO NOTHING RETURNING id INTO found_id;
        IF found_id IS NULL AND is_owner() THEN
            SELECT id INTO found_id FROM workspaces WHERE key = wanted;
        END IF;
    END IF;
    IF found_id IS NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format('the role %s is no member of this workspace', session_user);
    END IF;
    INSERT INTO members (workspace_id, role, may, name) VALUES (found_id, session_user, 'admin', person)
        ON CONFLICT (workspace_id, role) DO UPDATE SET left_at = NULL, may = 'admin', name = person;
    INSERT INTO audit (workspace_id, action, subject) VALUES (found_id, 'joined', session_user);
    RETURN found_id;
END $$;

-- Say what a role may do in a workspace; null ends its access with its next statement and leaves what it shared.
CREATE FUNCTION set_member(workspace bigint, who text, allowed text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = memory_sidecar, pg_temp AS $$
BEGIN
    IF NOT is_owner() THEN
        PERFORM check_may(workspace, 'admin');
    END IF;
    IF allowed IS NULL THEN
        UPDATE members SET left_at = now() WHERE workspace_id = workspace AND role = who AND left_at IS NULL;
        DELETE FROM sessions WHERE workspace_id = workspace AND role = who;
        PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), 'members');
        UPDATE workspaces SET channel = DEFAULT WHERE id = workspace;
    ELSE
        INSERT INTO members (workspace_id, role, may) VALUES (workspace, who, allowed)
            ON CONFLICT (workspace_id, role) DO UPDATE SET may = allowed, left_at = NULL;
    END IF;
    INSERT INTO audit (workspace_id, action, subject)
        VALUES (workspace, coalesce('member: ' || allowed, 'member left'), who);
END $$;

-- Store a batch of changes in one transaction. Each has `id`, the version it `expected` (0: new), `digest`, `change`,
-- `gone`, `memory` and, where texts were merged, `beside`: the text that was merged in. Doing it again changes nothing.
CREATE FUNCTION push(workspace bigint, batch jsonb) RETURNS TABLE (memory_id text, outcome text, now_version integer,
    now_author text, now_claimed_by text) LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp
    -- a plan of when the table was empty would search a workspace's memories for each one
    SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
DECLARE
    item jsonb;
    body jsonb;
    kept memories;
    last bigint;
    next integer;
    expected integer;
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    SELECT seq INTO last FROM workspaces WHERE id = workspace FOR UPDATE;
    FOR item IN SELECT value FROM jsonb_array_elements(batch) LOOP
        memory_id := item->>'id';
        expected := (item->>'expected')::integer;
        SELECT * INTO kept FROM memories m WHERE m.workspace_id = workspace AND m.id = memory_id;
        now_version := coalesce(kept.version, 0);
        now_author := kept.author;
        now_claimed_by := kept.claimed_by;
        IF kept.id IS NULL AND expected > 0 THEN
            outcome := 'lost';
        ELSIF kept.id IS NOT NULL AND kept.digest = item->>'digest' AND kept.gone IS NOT DISTINCT FROM item->>'gone' THEN
            outcome := 'same';
        ELSIF kept.gone = 'purged' OR (now_version <> expected AND coalesce(item->>'gone', '') <> 'purged') THEN
            outcome := 'overtaken';
        ELSE
            outcome := 'stored';
            last := last + 1;
            next := 1 + coalesce(kept.version, (SELECT max(v.version) FROM memory_versions v
                WHERE v.workspace_id = workspace AND v.memory_id = item->>'id'), 0);
            body := coalesce(item->'memory', '{}');
            IF body = 'null' THEN
                body := '{}';
            END IF;
            IF jsonb_typeof(item->'beside') = 'object' THEN
                INSERT INTO memory_versions (workspace_id, memory_id, version, change, author, digest, memory)
                    VALUES (workspace, memory_id, next, 'concurrent', session_user, item->>'besideDigest', item->'beside');
                next := next + 1;
            END IF;
            INSERT INTO memories AS m (workspace_id, id, version, seq, digest, gone, author, claimed_by, type, category,
                pinned, status, name, content, agent, created_at, updated_at, details)
            VALUES (workspace, memory_id, next, last, item->>'digest', item->>'gone', session_user, session_user,
                coalesce(body->>'type', ''), body->>'category', coalesce((body->>'pinned')::boolean, false),
                coalesce(body->>'status', 'active'), coalesce(body->>'name', ''), coalesce(body->>'content', ''), body->>'agent',
                to_timestamp(coalesce((body->>'createdAt')::numeric, 0) / 1000.0),
                to_timestamp(coalesce((body->>'updatedAt')::numeric, 0) / 1000.0),
                body - '{type,category,pinned,status,name,content,agent,createdAt,updatedAt}'::text[])
            ON CONFLICT (workspace_id, id) DO UPDATE SET
                version = excluded.version, seq = excluded.seq, digest = excluded.digest, gone = excluded.gone,
                author = CASE WHEN (m.name, m.content) IS DISTINCT FROM (excluded.name, excluded.content)
                    THEN session_user ELSE m.author END,
                claimed_by = CASE WHEN (m.type, m.category, m.pinned)
                    IS DISTINCT FROM (excluded.type, excluded.category, excluded.pinned)
                    THEN session_user ELSE m.claimed_by END,
                type = excluded.type, category = excluded.category, pinned = excluded.pinned, status = excluded.status,
                name = excluded.name, content = excluded.content, agent = excluded.agent,
                created_at = excluded.created_at, updated_at = excluded.updated_at, stored_at = now(),
                details = excluded.details
            RETURNING m.author, m.claimed_by INTO now_author, now_claimed_by;
            IF item->>'gone' = 'purged' THEN
                DELETE FROM memory_versions v WHERE v.workspace_id = workspace AND v.memory_id = item->>'id';
            END IF;
            INSERT INTO memory_versions (workspace_id, memory_id, version, change, author, digest, memory)
                VALUES (workspace, memory_id, next, item->>'change', session_user, item->>'digest',
                    CASE WHEN item->>'gone' IS NULL THEN body END);
            INSERT INTO audit (workspace_id, action, subject, version)
                VALUES (workspace, coalesce(item->>'gone', item->>'change'), memory_id, next);
            now_version := next;
        END IF;
        RETURN NEXT;
    END LOOP;
    UPDATE workspaces SET seq = last WHERE id = workspace AND seq <> last;
    IF FOUND THEN
        PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), last::text);
    END IF;
END $$;

-- Remove the words of memories for good, everywhere: those of one role, or those stored before a time, or both.
CREATE FUNCTION purge(workspace bigint, who text DEFAULT NULL, before timestamptz DEFAULT NULL) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
DECLARE
    last bigint;
    one text;
    number bigint := 0;
BEGIN
    IF NOT is_owner() THEN
        PERFORM check_may(workspace, 'admin');
    END IF;
    IF who IS NULL AND before IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'name a role or a time';
    END IF;
    SELECT seq + 1 INTO last FROM workspaces WHERE id = workspace FOR UPDATE;
    FOR one IN
        SELECT m.id FROM memories m WHERE m.workspace_id = workspace AND m.gone IS DISTINCT FROM 'purged'
            AND (before IS NULL OR m.stored_at < before)
            AND (who IS NULL OR m.author = who OR EXISTS (SELECT 1 FROM memory_versions v
                WHERE v.workspace_id = workspace AND v.memory_id = m.id AND v.author = who))
    LOOP
        number := number + 1;
        last := last + 1;
        DELETE FROM memory_versions v WHERE v.workspace_id = workspace AND v.memory_id = one;
        UPDATE memories m SET version = m.version + 1, seq = last, gone = 'purged', digest = '', name = '', content = '',
            agent = NULL, category = NULL, details = '{}', stored_at = now()
            WHERE m.workspace_id = workspace AND m.id = one;
        INSERT INTO audit (workspace_id, action, subject) VALUES (workspace, 'purged', one);
    END LOOP;
    UPDATE reminders r SET text = '', details = '{}', memory_id = NULL, cleared_at = coalesce(cleared_at, now()), seq = last
        WHERE r.workspace_id = workspace AND (who IS NULL OR r.author = who) AND (before IS NULL OR r.stored_at < before);
    -- the empty row of a fact keeps machines that have it from sending it again
    UPDATE answers a SET text = '' WHERE a.workspace_id = workspace AND a.kind = 'fact'
        AND (who IS NULL OR a.author = who) AND (before IS NULL OR a.at < before);
    DELETE FROM answers a WHERE a.workspace_id = workspace AND a.kind <> 'fact' AND (who IS NULL OR a.author = who)
        AND (before IS NULL OR a.at < before);
    UPDATE workspaces SET seq = last WHERE id = workspace;
    PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), last::text);
    RETURN number;
END $$;

-- Store reminders and return them as they are now; doing it again changes nothing. No machine has to know what another
-- did: the later of two times stays, what is cleared stays cleared, and the first machine to deliver an occurrence has it.
CREATE FUNCTION push_reminders(workspace bigint, from_machine text, batch jsonb) RETURNS SETOF reminders
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
DECLARE
    item jsonb;
    old reminders;
    new reminders;
    what text;
    last bigint;
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    SELECT seq INTO last FROM workspaces WHERE id = workspace FOR UPDATE;
    FOR item IN SELECT value FROM jsonb_array_elements(batch) LOOP
        SELECT * INTO old FROM reminders r WHERE r.workspace_id = workspace AND r.id = item->>'id';
        new := jsonb_populate_record(old, item);
        IF old.id IS NULL THEN
            CONTINUE WHEN coalesce(new.text, '') = '' OR
                (SELECT count(*) FROM reminders r WHERE r.workspace_id = workspace AND r.cleared_at IS NULL) >= 1000;
            what := 'reminder set';
        ELSE
            new.text := old.text;
            new.details := old.details;
            new.memory_id := old.memory_id;
            new.at := greatest(old.at, new.at);
            new.cleared_at := coalesce(old.cleared_at, new.cleared_at);
            what := CASE WHEN new.cleared_at IS DISTINCT FROM old.cleared_at THEN 'reminder cleared'
                WHEN new.at <> old.at THEN 'reminder moved' END;
        END IF;
        new.workspace_id := workspace;
        new.author := coalesce(old.author, session_user);
        new.stored_at := coalesce(old.stored_at, now());
        IF old.id IS NOT NULL AND (old.delivered_for = new.at OR new.delivered_for IS DISTINCT FROM new.at) THEN
            new.delivered_for := old.delivered_for;
            new.delivered_to := old.delivered_to;
            new.delivered_offline := old.delivered_offline;
        ELSIF new.delivered_for IS NOT NULL THEN
            new.delivered_to := from_machine;
            what := coalesce(what, 'reminder delivered');
        END IF;
        new.delivered_offline := coalesce(new.delivered_offline, false);
        IF what IS NOT NULL THEN
            last := last + 1;
            new.seq := last;
            INSERT INTO reminders SELECT new.* ON CONFLICT (workspace_id, id) DO UPDATE SET seq = excluded.seq,
                at = excluded.at, cleared_at = excluded.cleared_at, delivered_for = excluded.delivered_for,
                delivered_to = excluded.delivered_to, delivered_offline = excluded.delivered_offline;
            INSERT INTO audit (workspace_id, action, subject) VALUES (workspace, what, new.id);
        END IF;
        RETURN NEXT new;
    END LOOP;
    UPDATE workspaces SET seq = last WHERE id = workspace AND seq <> last;
    IF FOUND THEN
        PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), last::text);
    END IF;
END $$;

-- Return those of these reminders that are due by the database's clock and that this machine, and no other, delivers now:
-- one's own, and those of roles whose word counts with whoever asks.
CREATE FUNCTION deliver_reminders(workspace bigint, from_machine text, wanted text[], believed text[])
    RETURNS SETOF reminders LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
DECLARE
    last bigint;
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    UPDATE workspaces SET seq = seq + 1 WHERE id = workspace RETURNING seq INTO last;
    RETURN QUERY UPDATE reminders r SET delivered_for = r.at, delivered_to = from_machine, delivered_offline = false, seq = last
        WHERE r.workspace_id = workspace AND r.id = ANY (wanted) AND r.cleared_at IS NULL AND r.at <= clock_timestamp()
            AND r.delivered_for IS DISTINCT FROM r.at
            AND (r.author = session_user OR r.author = ANY (believed) OR '*' = ANY (believed))
        RETURNING r.*;
    IF FOUND THEN
        INSERT INTO audit (workspace_id, action, subject)
            SELECT workspace, 'reminder delivered', r.id FROM reminders r WHERE r.workspace_id = workspace AND r.seq = last;
        PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), last::text);
    END IF;
END $$;

-- Say that a session is alive. Sessions that were silent for half an hour of the database's clock lose their claims.
CREATE FUNCTION beat(workspace bigint, from_machine text, session text, with_agent text, on_what text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    DELETE FROM sessions s WHERE s.workspace_id = workspace AND s.seen_at < now() - interval '30 minutes';
    INSERT INTO sessions AS s (workspace_id, machine, id, role, agent, working_on)
        VALUES (workspace, from_machine, session, session_user, with_agent, on_what)
        ON CONFLICT (workspace_id, machine, id) DO UPDATE SET seen_at = now(),
            agent = coalesce(with_agent, s.agent), working_on = coalesce(on_what, s.working_on)
            WHERE s.role = session_user;
END $$;

-- Claim an item for a session, or return who has it; its age is by the database's clock.
CREATE FUNCTION claim(workspace bigint, from_machine text, session text, wanted text)
    RETURNS TABLE (machine text, session_id text, role text, agent text, working_on text, age_ms bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM beat(workspace, from_machine, session, NULL, NULL);
    INSERT INTO claims (workspace_id, item, machine, session_id, role)
        VALUES (workspace, wanted, from_machine, session, session_user) ON CONFLICT (workspace_id, item) DO NOTHING;
    IF FOUND THEN
        PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), 'claims');
    END IF;
    RETURN QUERY SELECT c.machine, c.session_id, c.role, s.agent, s.working_on,
            (extract(epoch FROM clock_timestamp() - c.at) * 1000)::bigint
        FROM claims c JOIN sessions s ON (s.workspace_id, s.machine, s.id) = (c.workspace_id, c.machine, c.session_id)
        WHERE c.workspace_id = workspace AND c.item = wanted;
END $$;

CREATE FUNCTION release(workspace bigint, from_machine text, session text, wanted text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    DELETE FROM claims c WHERE c.workspace_id = workspace AND c.machine = from_machine AND c.session_id = session
        AND c.role = session_user AND (wanted IS NULL OR c.item = wanted);
    IF wanted IS NULL THEN
        DELETE FROM sessions s WHERE s.workspace_id = workspace AND s.machine = from_machine AND s.id = session
            AND s.role = session_user;
    END IF;
    PERFORM pg_notify((SELECT channel FROM workspaces WHERE id = workspace), 'claims');
END $$;

-- Keep what was learned about a content; the first answer stays.
CREATE FUNCTION keep_answer(workspace bigint, of_hash text, of_recipe text, of_kind text, answer text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = memory_sidecar, pg_temp AS $$
BEGIN
    PERFORM check_may(workspace, 'write', 'admin');
    INSERT INTO answers (workspace_id, content_hash, recipe, kind, text)
        VALUES (workspace, of_hash, of_recipe, of_kind, answer) ON CONFLICT DO NOTHING;
END $$;

ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE members ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE reminders ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON workspaces USING (id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON members USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON memories USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON memory_versions USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON audit USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON sessions USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON claims USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON answers USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
CREATE POLICY own ON reminders USING (workspace_id = ANY ((SELECT my_workspaces())::bigint[]));
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA memory_sidecar FROM PUBLIC;
