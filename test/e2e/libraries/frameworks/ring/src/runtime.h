#pragma once
void ring_platform_log(const char* text); /* the application defines it */
void ring_done(const char* kernel);
int ring_self_check(void);
int ring_calls(void);
