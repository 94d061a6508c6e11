/* Accounts of clouds: profiles of AWS, credentials of Google, and the assertion that is signed with them. */
#include "lib/t.h"

#include "base/hash/base64.h"
#include "provider/cloud/aws.h"
#include "provider/cloud/aws_profile.h"
#include "provider/cloud/google_key.h"
#include "provider/cloud/rs256.h"

#include <stdlib.h>

/* Made for this test with openssl genpkey; the signatures below are those of openssl dgst -sign. */
static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
			  "MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBANZNvSHZlTvx3ZIO\n"
			  "hyqDMdoLfWtovT3j81OdQHMR1KpPZR3kky0PqUgjfXbXBcHBT6s4F1n/9SZzy1yo\n"
			  "q5QgnznpGou9nfdDL5lY51HbVyMseHBINgO0ygO7uxDr/tvflw0aar8zKVF8P23S\n"
			  "D6QyO1Lir7STu7x2Hyu8h4S9YrKrAgMBAAECgYBWmgu4RilclB0qDNzqfSIEL2h7\n"
			  "o1P2UsveGkoVNjtup68BKYGgUBfkoxLsl3AoIGqFkqE9KYZ0B49C3paXwacWDkZx\n"
			  "iNqu+huDH/Uu6Re4PyoTRvNwfMVbt7zCkU26zQMaNs+xc9KI+turhCjLxLovpWkg\n"
			  "gP47Bgj5aXUi8/mwAQJBAPkcfjzlw6yr/HMxRr85UIS4JVArkLIJdNcP2mp61sV9\n"
			  "y0QepmSLHuKROMVMXVH2+rRjxPXI/UoIPhYt0t+DAKsCQQDcOtXyvXYpQwfZc40A\n"
			  "chlsOTaBWiSYrTiVK1NyKbKkWIU2IQWOgwItrus9hCNKJq9V1+JfhEf3Rf0hgw/t\n"
			  "cxYBAkEA0CmLI4AsHuIotml64NgX/I+UPoXpB5z3Ua8hqNC1H5qafHXQPTwztsf7\n"
			  "VIMXiCKGJK8qKuilH3P7zbTE/ZkOuQJAX29fp4FS4y6ZCDJ6t+a5/ZwNcqCNm1v1\n"
			  "WS8dSiunrnBtybcloUxEdWeHqXDJmiiJcrnK73lzdkRuHUeeb1egAQJBAKmsn29c\n"
			  "zMROkCfKmv83uo06C3KsimnBfQoGwIKXadSI1iBqdQAG13+gUOWlKPjqpIAXedyG\n"
			  "oyuwQwCmRR0bPe4=\n"
			  "-----END PRIVATE KEY-----\n";

static const char *const variables[] = {
	"AWS_ACCESS_KEY_ID",
	"AWS_SECRET_ACCESS_KEY",
	"AWS_SESSION_TOKEN",
	"AWS_PROFILE",
	"AWS_REGION",
	"AWS_DEFAULT_REGION",
	"AWS_SHARED_CREDENTIALS_FILE",
	"AWS_CONFIG_FILE",
	"GOOGLE_APPLICATION_CREDENTIALS",
	"GCE_METADATA_HOST",
	"CLOUDSDK_CONFIG",
};

static struct cloud_env fresh_env(struct arena *mem)
{
	for (size_t i = 0; i < COUNT_OF(variables); i++)
		unsetenv(variables[i]);
	setenv("HOME", "/nowhere", 1);
	return (struct cloud_env){ .mem = mem, .provider = STR("bedrock") };
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f != NULL);
	fputs(text, f);
	fclose(f);
}

static void check_secret(const struct secret *s, const char *want)
{
	CHECK(s && str_eq(keys_secret_for_header(s), str_from(want)));
}

/* ---- AWS ---- */

TEST(a_profile_is_found_in_both_files)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct aws_profile p = { 0 };

	aws_profile_read(mem,
	                 STR("# a comment\r\n[other]\naws_access_key_id = wrong\n[ work ] ; mine\n"
	                     "aws_access_key_id=AKIA\r\n;aws_secret_access_key=no\n"
	                     "aws_secret_access_key = a/b+c=\nnonsense\n[last"),
	                 false, STR("work"), &p);
	aws_profile_read(mem,
	                 STR("[work]\nregion=wrong\n[profile work]\nregion = eu-west-1\ns3 =\n"
	                     "  region = nested\naws_access_key_id = second\n[default]\nregion=x"),
	                 true, STR("work"), &p);
	CHECK(p.is_there);
	check_secret(p.access_key, "AKIA");
	check_secret(p.secret_key, "a/b+c=");
	CHECK(!p.token);
	CHECK_STR(p.region, "eu-west-1");
	aws_profile_done(&p);
	aws_profile_read(mem, STR("[default]\nrole_arn=x\n"), true, STR("default"), &p);
	CHECK(p.is_there && !p.access_key);
	CHECK_STR(p.indirect, "role_arn");
	aws_profile_done(&p);
}

TEST(variables_count_before_files_and_the_setting_before_both)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cloud_env v = fresh_env(mem);
	struct aws_identity i;
	struct error e;

	CHECK(aws_find(&v, &i, &e) == ERR_NOT_FOUND);
	write_text("test_cloud_aws.tmp",
	           "[default]\naws_access_key_id=d\naws_secret_access_key=ds\n"
	           "[work]\naws_access_key_id=w\naws_secret_access_key=ws\n"
	           "region=us-west-2\n");
	setenv("AWS_SHARED_CREDENTIALS_FILE", "test_cloud_aws.tmp", 1);
	CHECK(aws_find(&v, &i, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "there is no region; set AWS_REGION");
	CHECK(i.place.origin == KEY_ORIGIN_CREDENTIALS_FILE && !i.access_key);
	setenv("AWS_DEFAULT_REGION", "eu-west-1", 1);
	CHECK_OK(aws_find(&v, &i, &e), &e);
	check_secret(i.access_key, "d");
	CHECK_STR(i.region, "eu-west-1");
	aws_done(&i);
	setenv("AWS_ACCESS_KEY_ID", "env", 1);
	CHECK(aws_find(&v, &i, &e) == ERR_INVALID);
	setenv("AWS_SECRET_ACCESS_KEY", "env-secret", 1);
	CHECK_OK(aws_find(&v, &i, &e), &e);
	check_secret(i.access_key, "env");
	CHECK(i.place.origin == KEY_ORIGIN_DAEMON_ENVIRONMENT);
	aws_done(&i);
	v.settings.profile = STR("work");
	unsetenv("AWS_DEFAULT_REGION");
	CHECK_OK(aws_find(&v, &i, &e), &e);
	check_secret(i.secret_key, "ws");
	CHECK_STR(i.region, "us-west-2");
	aws_done(&i);
	remove("test_cloud_aws.tmp");
}

/* The base keys of a profile with a role are another account. */
TEST(a_profile_with_a_role_is_refused_although_it_has_keys)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cloud_env v = fresh_env(mem);
	struct aws_identity i;
	struct error e;

	write_text("test_cloud_role.tmp", "[default]\naws_access_key_id=d\nsso_session=x\n"
	                                  "aws_secret_access_key=ds\nregion=r\nrole_arn=arn:x\n");
	setenv("AWS_SHARED_CREDENTIALS_FILE", "test_cloud_role.tmp", 1);
	CHECK(aws_find(&v, &i, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "gets its keys by role_arn");
	CHECK(!i.access_key);
	remove("test_cloud_role.tmp");
}

/* An account comes from one side as a whole. */
TEST(parts_that_a_client_lends_do_not_join_the_account_of_the_daemon)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cloud_env v = fresh_env(mem);
	struct key_ring *r = key_ring_new(NULL);
	struct credentials *c = key_ring_port(r);
	struct aws_identity i;
	struct error e;

	key_ring_register(r, STR("bedrock"), STR("AWS_ACCESS_KEY_ID"), KEY_KIND_IDENTITY);
	key_ring_register(r, STR("bedrock"), STR("AWS_SECRET_ACCESS_KEY"), KEY_KIND_PART);
	key_ring_register(r, STR("bedrock"), STR("AWS_SESSION_TOKEN"), KEY_KIND_PART);
	CHECK_OK(c->ops->lend(c, 1, STR("AWS_SESSION_TOKEN"), STR("lent"), &e), &e);
	setenv("AWS_ACCESS_KEY_ID", "own", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "own-secret", 1);
	v.ring = r;
	v.client.connection = 1;
	CHECK(aws_find(&v, &i, &e) == ERR_INVALID);
	CHECK_HAS(str_from(e.message), "set AWS_REGION in the environment of the daemon");
	v.settings.region = STR("r");
	CHECK_OK(aws_find(&v, &i, &e), &e);
	check_secret(i.access_key, "own");
	CHECK(!i.token);
	aws_done(&i);
	/* With an identity all of it is the client's, also before a profile of the settings. */
	CHECK_OK(c->ops->lend(c, 1, STR("AWS_ACCESS_KEY_ID"), STR("theirs"), &e), &e);
	CHECK(aws_find(&v, &i, &e) == ERR_INVALID);
	v.settings.profile = STR("work");
	CHECK_OK(c->ops->lend(c, 1, STR("AWS_SECRET_ACCESS_KEY"), STR("their-secret"), &e), &e);
	CHECK_OK(aws_find(&v, &i, &e), &e);
	check_secret(i.access_key, "theirs");
	CHECK(i.place.origin == KEY_ORIGIN_CLIENT_ENVIRONMENT);
	aws_done(&i);
	key_ring_free(r);
}

TEST(what_becomes_part_of_an_address_is_a_word)
{
	CHECK(cloud_env_is_word(STR("eu-west-1"), "-"));
	CHECK(!cloud_env_is_word(STR("a.example/"), "-") && !cloud_env_is_word(STR(""), "-"));
	CHECK(!cloud_env_is_word(str_of("a\0b", 3), "-"));
	CHECK(cloud_env_is_word(STR("example.com:project-1"), "-.:"));
}

/* ---- Google ---- */

TEST(a_signature_is_the_one_of_openssl)
{
	CLEANUP(buf_done) struct buf signature = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error e;

	CHECK_OK(rs256_sign(str_from(pem), STR("hello"), &signature, &e), &e);
	base64_write(&text, buf_str(&signature));
	CHECK_SAME(buf_str(&text),
	           STR("hB1Z8z0SlFfGdZCYN1H+Jy5socSZlFmQNNDdY51UZtFaC5csbF23xkurmfiYhF/"
	               "Aignt3bFVADYSTEWj"
	               "u8eZyB/"
	               "JuEj5BwYY+AhBkD+D6QYNaSeQVRINN7EpbgVsKa0ZpShDTKqsu9o+BBcHhDZQKjB8ojl3KJtv"
	               "LQW8YLS+mF4="));
	CHECK(rs256_sign(STR("no key"), STR("hello"), &signature, &e) == ERR_INVALID);
	CHECK(rs256_sign(str_of(pem, sizeof pem / 2), STR("hello"), &signature, &e) == ERR_INVALID);
}

TEST(a_service_account_signs_its_assertion)
{
	CLEANUP(buf_done) struct buf form = { 0 };
	struct google_key k = { .kind = GOOGLE_SERVICE_ACCOUNT,
		                .token_url = STR("https://oauth2.googleapis.com/token"),
		                .client = STR("bot@p.iam.gserviceaccount.com"),
		                .key_id = STR("key-1"),
		                .key = keys_secret_of_text(str_from(pem)) };
	struct error e;

	CHECK_OK(google_key_form(&k, 1700000000, &form, &e), &e);
	CHECK_SAME(buf_str(&form),
	           STR("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
	               "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6ImtleS0xIn0."
	               "eyJpc3MiOiJib3RAcC5pYW0u"
	               "Z3NlcnZpY2VhY2NvdW50LmNvbSIsInNjb3BlIjoiaHR0cHM6Ly93d3cuZ29vZ2xlYXBpcy5jb20"
	               "vYXV0"
	               "aC9jbG91ZC1wbGF0Zm9ybSIsImF1ZCI6Imh0dHBzOi8vb2F1dGgyLmdvb2dsZWFwaXMuY29tL3R"
	               "va2Vu"
	               "IiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjE3MDAwMDM2MDB9."
	               "vViSHu5ZBteBE4QSEsbda8TVDqRf8Eu"
	               "uHHdxPSYtcJvq3vKUFOCW3xG0XdJbYp2JK78F5HJVBToNWPE2xlrCmEYEiX0eYsAqFA13PpuPnr"
	               "s9LYs"
	               "jPT87CDfcNxh8c2aLALQZYFJkOLCBpAGiX2TmTB2VTxHiDZsP1SKyhyxaGgE"));
	google_key_done(&k);
}

TEST(a_user_sends_a_refresh_token_with_every_byte_encoded)
{
	CLEANUP(buf_done) struct buf form = { 0 };
	struct google_key k = { .kind = GOOGLE_USER,
		                .client = STR("id.apps"),
		                .key = keys_secret_of_text(STR("s&=")),
		                .refresh = keys_secret_of_text(STR("1//a+b")) };
	struct error e;

	CHECK_OK(google_key_form(&k, 1, &form, &e), &e);
	CHECK_STR(buf_str(&form), "grant_type=refresh_token&client_id=id.apps&client_secret=s%26%3D"
	                          "&refresh_token=1%2F%2Fa%2Bb");
	google_key_done(&k);
}

TEST(files_that_cannot_be_used_are_refused_by_name)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "not a JSON object" },
		{ "{\"type\": \"external_account\"}", "\"external_account\" are not known" },
		{ "{\"type\": \"service_account\", \"client_email\": \"a\"}", "not complete" },
		{ "{\"type\": \"service_account\", \"client_email\": \"a\", \"private_key\": "
		  "\"k\", "
		  "\"token_uri\": \"http://127.0.0.1.example/\"}",
		  "does not begin with https://" },
		{ "{\"type\": \"service_account\", \"client_email\": \"a\", \"private_key\": "
		  "\"k\", "
		  "\"token_uri\": \"http://localhost:x@example/\"}",
		  "does not begin with https://" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cloud_env v = fresh_env(mem);
	struct google_key k;
	struct error e;

	CHECK(google_key_find(&v, &k, &e) == ERR_NOT_FOUND);
	setenv("GOOGLE_APPLICATION_CREDENTIALS", "test_cloud_google.tmp", 1);
	CHECK(google_key_find(&v, &k, &e) == ERR_INVALID);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		write_text("test_cloud_google.tmp", rows[i].text);
		CHECK(google_key_find(&v, &k, &e) == ERR_INVALID);
		CHECK_HAS(str_from(e.message), "test_cloud_google.tmp: ");
		CHECK(str_find(str_from(e.message), str_from(rows[i].want)) >= 0);
	}
	remove("test_cloud_google.tmp");
	setenv("GCE_METADATA_HOST", "metadata.google.internal", 1);
	unsetenv("GOOGLE_APPLICATION_CREDENTIALS");
	CHECK_OK(google_key_find(&v, &k, &e), &e);
	CHECK_STR(k.token_url, "http://metadata.google.internal/computeMetadata/v1/instance/"
	                       "service-accounts/default/token");
}

TEST_MAIN()
