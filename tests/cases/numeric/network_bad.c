// A 2-4-4-1 network; its largest output on the square is 1.5135.
#include <assert.h>
float __VERIFIER_nondet_float(void);
void __VERIFIER_assume(int);
static const float W1[4][2]={{0.5f,-1.25f},{1.5f,0.75f},{-0.875f,0.3f},{0.9f,1.1f}};
static const float B1[4]={0.1f,-0.2f,0.3f,0.0f};
static const float W2[4][4]={{0.5f,-1.25f,0.2f,0.3f},{1.5f,0.75f,-.4f,.6f},{-0.875f,0.3f,.9f,-1.f},{0.9f,1.1f,.3f,-.5f}};
static const float B2[4]={0.1f,-0.2f,0.3f,0.0f};
static const float W3[4]={0.7f,-0.6f,0.4f,1.2f};
int main(void){
  float x[2], h[4], g[4], y=0.05f;
  x[0]=__VERIFIER_nondet_float(); x[1]=__VERIFIER_nondet_float();
  __VERIFIER_assume(x[0]>=-1.f && x[0]<=1.f && x[1]>=-1.f && x[1]<=1.f);
  for(int i=0;i<4;i++){ float s=B1[i]; for(int j=0;j<2;j++) s+=W1[i][j]*x[j]; h[i]= s>0?s:0; }
  for(int i=0;i<4;i++){ float s=B2[i]; for(int j=0;j<4;j++) s+=W2[i][j]*h[j]; g[i]= s>0?s:0; }
  for(int i=0;i<4;i++) y+=W3[i]*g[i];
  assert(y <= 1.51f); // expect: assertion unsafe
  return 0;
}
